/** Groups of a run: the list, and one as a forest. */
import { EngineError } from "../../base/index.ts";
import { quote } from "../../store/migrations.ts";
import type { Store } from "../../store/store.ts";
import type { Answer } from "../api/endpoints.ts";
import type { GroupItem, GroupTree } from "../api/group.ts";
import { numberOr, textOr } from "../runs/cells.ts";
import { chosenLines, type ChosenLines } from "./chosen-lines.ts";
import { readDecisions, readMembers } from "./group-members.ts";
import { treeOf } from "./tree.ts";

const SHOWN_MEMBERS = 256;
const SHOWN_STEPS = 500;

const COLUMNS = `group_id, any_value(task_id), any_value(goal), any_value(env), update_number,
  count(*) as episodes, count_if(success) as solved, avg(reward), count_if(parent is not null), phase`;

interface Asked {
  readonly offset: number;
  readonly limit: number;
  readonly update?: number | undefined;
  readonly mixed?: boolean | undefined;
}

export async function listGroups(
  store: Store,
  run: string,
  { offset, limit, update, mixed }: Asked,
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
