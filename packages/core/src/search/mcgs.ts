/** Monte Carlo graph search: lines that meet share what they learned, and whole ways are used again from other branches. */
import { option } from "limbeck-base/base/option";
import { bestInTree } from "./worth.ts";
import { grow, growNeed, growOptions } from "./grow.ts";
import { oneLine } from "./line-summary.ts";
import { nextNodes, lineTo, nodesBelow, outcomeOfNode, type SearchNode } from "../walk/tree/node.ts";
import { firstLargest } from "../walk/shares.ts";
import { defineSearch, type SearchScope } from "./search.ts";
import { backUp, treeOptions, walkTree } from "./tree-walk.ts";
import { playedOut } from "./values/monte-carlo.ts";

export const mcgs = defineSearch({
  info: {
    title: "MCGS",
    paper: "AutoMLGen: Navigating Fine-Grained Optimization for Coding Agents",
    confidence: "inferred",
    formula: [
      "Q(child) = W(s) / n(s) of the child's state s, shared by every line that came to it; descend by UCT or PUCT on these",
      "merge: a new child in a known state takes its value and is not evaluated again",
      "reuse: where a line to a good end is known from a new child's state, its actions are taken over, without the policy",
      "fuse: every `fuse`-th expansion is shown the best line of another branch",
    ],
    meaning: "Merges equal states of different branches and uses whole trajectories again wherever a branch meets one.",
    departures: [
      "Only the abstract was read. Edges between branches are equal states; the paper's operators for code (draft, debug) have no place in a world of actions.",
      "Without outcomes to look at nothing is used again.",
    ],
  },
  options: {
    ...growOptions,
    ...treeOptions,
    reuse: option.flag(true, "take over known ways to a good end"),
    fuse: option.limit(4, "expansions from one that is shown another branch to the next", { least: 1, whole: true }),
  },
  create: ({ width, candidates, reuse, fuse, ...rules }) => ({
    value: playedOut(),
    run: async (scope) => {
      const graph = new StateGraph();
      const grafted = new Map<string, number>();
      let expansions = 0;
      await walkTree(scope, {
        ...rules,
        grow: async (own, node) => {
          expansions += 1;
          const guidance = fuse !== null && expansions % fuse === 0 ? otherBranch(scope.root, node) : undefined;
          return await grow(own, node, { width, candidates, guidance });
        },
        need: (nodes) => ({ ...growNeed(scope, nodes, { width, candidates }), envSteps: Infinity }),
        grown: async (own, _node, children) => {
          if (!reuse || !scope.seesOutcome) return;
          for (const child of children) await takeOver(own, child, graph, grafted);
        },
        recall: (node) => (graph.visits(node) > 0 ? graph.mean(node) : undefined),
        backUp: (node, value) => graph.backUp(node, value),
        visits: (node) => (node.visits === 0 ? 0 : graph.visits(node)),
        quality: (child) => graph.mean(child),
      });
      return await bestInTree(scope);
    },
  }),
});

/** Follows a known way from a child's state, unless it was followed from that state as early before. */
async function takeOver(
  scope: SearchScope,
  child: SearchNode,
  graph: StateGraph,
  grafted: Map<string, number>,
): Promise<void> {
  const way = graph.wayOn(child);
  if (way === undefined || child.closed || (grafted.get(child.stateKey) ?? Infinity) <= child.depth) return;
  grafted.set(child.stateKey, child.depth);
  let node = child;
  for (const action of way.actions) {
    const next = await scope.take(node, action);
    if (next === undefined) return;
    next.info = { ...next.info, reused: true };
    node = next;
    if (node.closed || node.step?.valid === false) break;
  }
  if (node.ending === undefined) return;
  await scope.evaluate([node]);
  if (node.estimate !== undefined) graph.backUp(node, node.estimate);
}

/** The best line of the root's children that the node does not belong to, as text; undefined where none was worth anything. */
function otherBranch(root: SearchNode, node: SearchNode): string | undefined {
  let own: SearchNode | undefined = node;
  while (own?.parent !== undefined && own.parent !== root) own = own.parent;
  const others = root.children.filter((branch) => branch !== own && branch.visits > 0);
  const best = firstLargest(others, ({ mean }) => mean, 0);
  if (best === undefined) return undefined;
  const actions: string[] = [];
  for (let at: SearchNode | undefined = best; at !== undefined; at = busiest(at))
    actions.push(oneLine(at.action ?? ""));
  return `Another attempt went: ${actions.slice(0, 20).join("; ")} (worth ${best.mean.toFixed(2)}). Use what is good in it.`;
}

function busiest({ children }: SearchNode): SearchNode | undefined {
  return firstLargest(children, ({ visits }) => visits, 0);
}

// States that several lines share: one count for all of them, and the best way on that any of them found.

export interface WayOn {
  readonly value: number;
  /** From the state to the end. */
  readonly actions: readonly string[];
}

interface State {
  visits: number;
  total: number;
  best: WayOn | undefined;
}

export class StateGraph {
  readonly #states = new Map<string, State>();

  /** States that were met. */
  get size(): number {
    return this.#states.size;
  }

  visits({ stateKey }: SearchNode): number {
    return this.#states.get(stateKey)?.visits ?? 0;
  }

  mean(node: SearchNode): number {
    const state = this.#states.get(node.stateKey);
    return state === undefined || state.visits === 0 ? (node.estimate ?? 0) : state.total / state.visits;
  }

  /** The best known way to an end from a state; undefined where none brought anything. */
  wayOn({ stateKey }: SearchNode): WayOn | undefined {
    return this.#states.get(stateKey)?.best;
  }

  /** Counts a value for every state of the line, each once however often the line came through it. */
  backUp(node: SearchNode, value: number): void {
    backUp(node, value);
    for (const key of new Set(lineTo(node).map(({ stateKey }) => stateKey))) {
      const state = this.#of(key);
      state.visits += 1;
      state.total += value;
    }
    this.#learn(node);
    for (const simulation of node.simulations) {
      for (const below of nodesBelow(simulation)) if (nextNodes(below).length === 0) this.#learn(below);
    }
  }

  /** Ways on from every state of a line that has ended well. */
  #learn(end: SearchNode): void {
    const value = outcomeOfNode(end) ?? 0;
    if (value <= 0) return;
    const line = lineTo(end);
    const actions = line.slice(1).map(({ action = "" }) => action);
    for (const [at, { stateKey }] of line.slice(0, -1).entries()) {
      const state = this.#of(stateKey);
      const length = actions.length - at;
      const isBetter =
        state.best === undefined ||
        value > state.best.value ||
        (value === state.best.value && length < state.best.actions.length);
      if (isBetter) state.best = { value, actions: actions.slice(at) };
    }
  }

  #of(key: string): State {
    const known = this.#states.get(key) ?? { visits: 0, total: 0, best: undefined };
    this.#states.set(key, known);
    return known;
  }
}
