/** Groups of a run: the list, and one as a forest. */
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { quote } from "limbeck-store/store/migrations";
import type { Store } from "limbeck-store/store/store";
import type { Answer, QueryOf } from "../api/endpoints.ts";
import type { GroupItem, GroupTree, TreeNode } from "../api/group.ts";
import { numberOr, textOr, outcomeOr } from "../runs/cells.ts";
import type { Outcome } from "../api/base.ts";
import { readDecisions, readMembers, lineOf, type GroupStep, type Member } from "./group-members.ts";
import { clip } from "./long-text.ts";

const SHOWN_MEMBERS = 256;
const SHOWN_STEPS = 500;

const COLUMNS = `group_id, max(task_id), max(goal), max(env), update_number,
  count(*) as episodes, count(*) filter (where success) as solved, avg(reward), count(parent), phase`;

export async function listGroups(
  store: Store,
  run: string,
  { offset, limit, update, mixed }: QueryOf<"groups">,
): Promise<Answer<"groups">> {
  const where = `where run = ${quote(run)}${update === undefined ? "" : ` and update_number = ${update}`}`;
  const differs = "solved between 1 and episodes - 1";
  const { rows } = await store.list(
    `with grouped as (select ${COLUMNS} from listed ${where} group by group_id, update_number, phase)
     select *, count(*) over (), (select count(*) from grouped where not (${differs})) from grouped
     ${mixed === true ? `where ${differs}` : ""}
     order by update_number desc nulls last, group_id limit ${limit} offset ${offset}`,
    { run },
  );
  const total = Number(rows[0]?.[10] ?? 0);
  const lines = await chosenLines(store, run);
  return {
    offset,
    limit,
    total: rows.length === 0 ? offset : total,
    groups: rows.map((row) => itemOf(row, lines)),
    alike: rows.length === 0 ? await countAlike(store, run, where, differs) : Number(rows[0]?.[11] ?? 0),
  };
}

async function countAlike(store: Store, run: string, where: string, differs: string): Promise<number> {
  const { rows } = await store.list(
    `with grouped as (select ${COLUMNS} from listed ${where} group by group_id, update_number, phase)
     select count(*) from grouped where not (${differs})`,
    { run },
  );
  return Number(rows[0]?.[0] ?? 0);
}

function itemOf(row: readonly unknown[], lines: ChosenLines): GroupItem {
  const [group, task, goal, env, update, episodes, solved, reward, branches] = row;
  return {
    group: String(group),
    task: String(task),
    goal: textOr(goal) ?? "",
    env: String(env),
    update: numberOr(update),
    episodes: Number(episodes),
    solved: Number(solved),
    meanReward: numberOr(reward),
    branches: Number(branches),
    chosen: lines.outcomes.get(String(group)) ?? null,
  };
}

/** Where an id comes again in several updates, the newest group is meant unless `update` says otherwise. */
export async function readGroup(store: Store, run: string, id: string, update: number | undefined): Promise<GroupTree> {
  const only = update === undefined ? "" : `and update_number = ${update}`;
  const { rows } = await store.list(
    `select ${COLUMNS} from listed where run = ${quote(run)} and group_id = ${quote(id)} ${only}
     group by group_id, update_number, phase order by update_number desc nulls last limit 1`,
    { run },
  );
  const row = rows[0];
  if (row === undefined) throw new EngineError("no-group", `There is no group "${id}" in run "${run}".`);
  const lines = await chosenLines(store, run);
  const item = itemOf(row, lines);
  const phase = typeof row[9] === "string" ? row[9] : null;
  const { members, cut } = await readMembers(store, { run, group: id, update: item.update, phase }, SHOWN_MEMBERS);
  const decisions = await readDecisions(store, run, members, SHOWN_STEPS);
  const long = members.some(({ id: member, steps }) => steps > (decisions.get(member)?.length ?? 0));
  return { ...item, run, ...treeOf(members, decisions, lines.ids), cut: cut || long };
}

// A group as a forest of states: episodes go together until they do or see something different.

const LETTERS = 200;

interface Growing {
  readonly node: TreeNode;
  readonly rewards: number[];
  readonly actions: Set<string>;
  readonly children: Map<string, Growing>;
}

type Grown = Pick<GroupTree, "nodes" | "trajectories">;

function treeOf(
  members: readonly Member[],
  decisions: ReadonlyMap<string, readonly GroupStep[]>,
  chosen: ReadonlySet<string>,
): Grown {
  const byId = new Map(members.map((member) => [member.id, member]));
  const roots = new Map<string, Growing>();
  const all: Growing[] = [];
  const trajectories = members.map((member): Grown["trajectories"][number] => {
    const line = lineOf(member.id, byId, decisions);
    const path: number[] = [];
    let [before, came] = [undefined as Growing | undefined, undefined as GroupStep | undefined];
    for (const decision of line) {
      const siblings: Map<string, Growing> = before?.children ?? roots;
      const key = JSON.stringify([came?.action, decision.stateKey]);
      const here: Growing = siblings.get(key) ?? grow(all, before, came, decision);
      siblings.set(key, here);
      visit(here, member, decision);
      path.push(here.node.id);
      [before, came] = [here, decision];
    }
    before?.node.ends.push({ trajectory: member.id, outcome: member.outcome, reward: member.reward });
    return {
      id: member.id,
      outcome: member.outcome,
      reward: member.reward,
      steps: member.steps,
      parent: member.parent,
      chosen: chosen.has(member.id),
      path,
    };
  });
  const nodes = all.map(({ node, rewards, actions }) => ({
    ...node,
    meanReturn: rewards.length === 0 ? null : mean(rewards),
    actions: actions.size,
  }));
  return { nodes, trajectories };
}

function grow(all: Growing[], before: Growing | undefined, came: GroupStep | undefined, here: GroupStep): Growing {
  const node: TreeNode = {
    id: all.length,
    parent: before?.node.id ?? null,
    depth: before === undefined ? 0 : before.node.depth + 1,
    stateKey: here.stateKey,
    observation: clip(here.observation, LETTERS),
    action: came === undefined ? null : clip(came.action, LETTERS),
    valid: came?.valid ?? true,
    visits: 0,
    solved: 0,
    meanReturn: null,
    actions: 0,
    ends: [],
    example: { trajectory: here.trajectory, step: here.step },
  };
  const growing = { node, rewards: [], actions: new Set<string>(), children: new Map<string, Growing>() };
  all.push(growing);
  return growing;
}

function visit({ node, rewards, actions }: Growing, member: Member, { action }: GroupStep): void {
  node.visits += 1;
  node.solved += Number(member.outcome === "success");
  if (member.reward !== null) rewards.push(member.reward);
  actions.add(action);
}

// The lines that a search chose among all that it walked: what it would act on.

interface ChosenLines {
  /** Their trajectories. */
  readonly ids: ReadonlySet<string>;
  /** What became of the chosen line of a group. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

const NONE: ChosenLines = { ids: new Set(), outcomes: new Map() };

async function chosenLines(store: Store, run: string): Promise<ChosenLines> {
  const [summary] = await store.runs({ only: run });
  if (summary?.config["search"] === undefined) return NONE;
  const { rows } = await store.query(
    `select id, group_id, success from trajectories where (info -> '$.search.chosen') = 'true'`,
    { run },
  );
  return {
    ids: new Set(rows.map(([id]) => String(id))),
    outcomes: new Map(rows.map(([, group, success]) => [String(group), outcomeOr(success)])),
  };
}
