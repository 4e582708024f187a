/**
 * A search tree as stored trajectories. A line goes on with the child that did best (the chosen line before all others),
 * so that the first trajectory is the whole episode the search would act on; every other child begins a branch that
 * names its parent and the step where it left.
 */
import { unscored, type Json, type JsonObject, type Parent, type Trajectory } from "../../trajectory/index.ts";
import { leaving, lineTo, nodesBelow, outcomeOfNode, type SearchNode } from "./node.ts";
import { goesOn, joinLine } from "./pieces.ts";
import type { Session } from "./session.ts";

export interface ForestOptions {
  readonly session: Pick<Session, "task" | "agent" | "root">;
  readonly group: string;
  readonly method: string;
  readonly chosen: SearchNode | undefined;
  readonly startedAt: string;
}

/** Parents before their branches; each is made when it is asked for. */
export function* treeTrajectories(options: ForestOptions): Generator<Trajectory, void> {
  const { root } = options.session;
  const chosen = new Set(options.chosen === undefined ? [] : lineTo(options.chosen));
  const best = bestBelow(root);
  const open: { readonly first: SearchNode; readonly parent: Parent | undefined }[] = [
    { first: root, parent: undefined },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { first, parent } = next;
    const line = [first];
    const id = parent === undefined ? `${options.group}/search` : `${options.group}/search.${first.path}`;
    const branches: typeof open = [];
    for (let at = first; ;) {
      const below = leaving(at);
      const on = follow(at, below, chosen, best);
      for (const child of below) {
        if (child !== on) branches.push({ first: child, parent: { trajectory: id, step: at.depth } });
      }
      if (on === undefined) break;
      line.push(on);
      at = on;
    }
    yield trajectoryOf(options, { id, parent, line });
    open.push(...branches.reverse());
  }
}

/** The best that was found at or below each node: what the world says of ended ones, then estimates. */
function bestBelow(root: SearchNode): ReadonlyMap<SearchNode, number> {
  const best = new Map<SearchNode, number>();
  const all = nodesBelow(root);
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const node = all[at] as SearchNode;
    const outcome = outcomeOfNode(node);
    // Whatever ended with a score comes before what did not end.
    let most = outcome === undefined ? (node.estimate ?? 0) - 2 : outcome;
    for (const child of leaving(node)) most = Math.max(most, best.get(child) ?? -2);
    best.set(node, most);
  }
  return best;
}

/** The child that the line goes on with. One whose message was written anew cannot share the line's tokens. */
function follow(
  node: SearchNode,
  below: readonly SearchNode[],
  chosen: ReadonlySet<SearchNode>,
  best: ReadonlyMap<SearchNode, number>,
): SearchNode | undefined {
  let on: SearchNode | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const child of below) {
    if (!goesOn(node, child)) continue;
    const worth = chosen.has(child) ? Number.POSITIVE_INFINITY : (best.get(child) ?? -2);
    if (worth > most) [on, most] = [child, worth];
  }
  return on;
}

interface LineOf {
  readonly id: string;
  readonly parent: Parent | undefined;
  readonly line: readonly SearchNode[];
}

function trajectoryOf(options: ForestOptions, { id, parent, line }: LineOf): Trajectory {
  const { session, group, chosen, startedAt } = options;
  const { task, agent } = session;
  const last = line.at(-1) as SearchNode;
  const { steps, streams, shared } = joinLine(line);
  const stopped = last.stopped ?? (last.ending === undefined ? "search" : undefined);
  const info: JsonObject = {
    ...(stopped === undefined ? {} : { stopped }),
    ...(parent === undefined || !agent.exact ? {} : { sharedTokens: shared }),
    search: {
      method: options.method,
      ...(chosen !== undefined && last === chosen ? { chosen: true } : {}),
      nodes: factsOf(line),
    },
  };
  return {
    id,
    task,
    group,
    ...(parent === undefined ? {} : { parent }),
    steps,
    streams,
    ending: last.ending ?? "truncated",
    reward: last.ending === undefined ? unscored("stopped: search") : last.reward,
    success: last.ending === undefined ? null : last.success,
    rewards: [],
    policy: agent.ref,
    usage: {
      completionTokens: line.reduce((total, { said }) => total + said, 0),
      modelCalls: steps.reduce((total, { usage }) => total + (usage?.modelCalls ?? 0), 0),
    },
    timing: { startedAt },
    closing: { observation: last.observation },
    ...(last.failure === undefined ? {} : { failure: last.failure }),
    info,
  };
}

/** What the search thought of each node, for whoever looks at the trajectory. */
function factsOf(line: readonly SearchNode[]): JsonObject[] {
  const all: JsonObject[] = [];
  let path: string | undefined;
  for (const node of line) {
    if (node.step === undefined) continue;
    // Each is the child of the one before.
    path = path === undefined ? node.path : `${path}.${node.order}`;
    all.push(nodeFacts(node, path));
  }
  return all;
}

function nodeFacts(node: SearchNode, path: string): JsonObject {
  const facts: Record<string, Json> = { step: node.depth - 1, path };
  if (node.visits > 0) facts["visits"] = node.visits;
  if (node.visits > 0) facts["mean"] = node.mean;
  if (node.estimate !== undefined) facts["estimate"] = node.estimate;
  if (node.copies > 1) facts["copies"] = node.copies;
  if (node.simulated) facts["simulated"] = true;
  if (node.dropped) facts["dropped"] = true;
  return node.info === undefined ? facts : { ...facts, ...node.info };
}
