/** A group as a forest of states: episodes go together until they do or see something different. */
import { mean } from "../../base/index.ts";
import type { GroupTree, TreeNode } from "../api/group.ts";
import { lineOf, type Decision, type Member } from "./group-members.ts";
import { clip } from "./long-text.ts";

const LETTERS = 200;

interface Growing {
  readonly node: TreeNode;
  readonly rewards: number[];
  readonly actions: Set<string>;
  readonly children: Map<string, Growing>;
}

export type Grown = Pick<GroupTree, "nodes" | "trajectories">;

export function treeOf(
  members: readonly Member[],
  decisions: ReadonlyMap<string, readonly Decision[]>,
  chosen: ReadonlySet<string>,
): Grown {
  const byId = new Map(members.map((member) => [member.id, member]));
  const roots = new Map<string, Growing>();
  const all: Growing[] = [];
  const trajectories = members.map((member): Grown["trajectories"][number] => {
    const line = lineOf(member.id, byId, decisions);
    const path: number[] = [];
    let [before, came] = [undefined as Growing | undefined, undefined as Decision | undefined];
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

function grow(all: Growing[], before: Growing | undefined, came: Decision | undefined, here: Decision): Growing {
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

function visit({ node, rewards, actions }: Growing, member: Member, { action }: Decision): void {
  node.visits += 1;
  node.solved += Number(member.outcome === "success");
  if (member.reward !== null) rewards.push(member.reward);
  actions.add(action);
}
