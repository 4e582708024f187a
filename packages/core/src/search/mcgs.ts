/** Monte Carlo graph search: a tree by UCT whose expansions are shown other lines; value goes along the tree alone. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { bestInTree } from "./worth.ts";
import { grow, growNeed, growOptions } from "./grow.ts";
import { oneLine } from "./line-summary.ts";
import { nextNodes, lineTo, nodesBelow, outcomeOfNode, type SearchNode } from "../walk/tree/node.ts";
import { firstLargest } from "../walk/shares.ts";
import { defineSearch, type SearchScope } from "./search.ts";
import { backUp, treeOptions, walkTree } from "./tree-walk.ts";
import { playedOut } from "./values/monte-carlo.ts";

const options = {
  ...growOptions,
  ...treeOptions,
  // The published number, not the root of 2.
  // oxlint-disable-next-line approx-constant
  exploration: option.number(1.414, "c: how much little-visited children are preferred", { least: 0 }),
  stagnation: option.count(3, "values of a branch, none a new best, after which an expansion is shown a line", 2),
  fusion: option.share(
    0.3,
    "share of those that are shown another branch, in the second half; the others their own line",
  ),
  window: option.count(4, "values of the whole tree, none a new best, after which the branches are put together"),
  aggregate: option.count(2, "times that the branches are put together, from the opening", 0),
  merge: option.flag(false, "equal states of different branches share what they learned"),
  reuse: option.flag(false, "take over known ways to a good end"),
};

type Options = OptionValues<typeof options>;

export const mcgs = defineSearch({
  info: {
    title: "MCGS",
    paper: "AutoMLGen: Navigating Fine-Grained Optimization for Coding Agents",
    confidence: "reading",
    source:
      "a third party's comparison of the paper with its successor's code; InternScience/MLEvolve @ 7d8403c8 (the successor); engine/node_selection.py: select, engine/evaluation.py: backpropagate, engine/conditions.py: is_branch_stagnant",
    formula: [
      "descend by UCT with c = 1.414; a value goes along tree edges alone",
      "reference edges carry text, never value: what an expansion is shown",
      "own line: in a branch whose last `stagnation` values are all below its best",
      "another branch: a share `fusion` of those, in the second half of the search",
      "branches together: new children of the opening, shown the best lines, when the last `window` values of the tree bring no new best",
      "with merge: Q(child) = W(s) / n(s) of the child's state s, shared by every line that came to it",
    ],
    meaning: "Searches a tree whose stagnant branches are shown their own history, other branches, or all of them.",
    departures: [
      "A branch is a child of the opening, a line a sequence of actions; the paper's operators for code (draft, debug) have no place in a world of actions.",
      "How c falls in the course of the search, and the turn to the best nodes, are the successor's and not here. A value is the search's, from 0 to 1.",
      "merge and reuse are ours and off by default: equal states share their value, and a known way to a good end is taken over without the policy.",
    ],
  },
  options,
  create: ({ width, candidates, stagnation, fusion, window, aggregate, merge, reuse, ...rules }) => ({
    value: playedOut(),
    run: async (scope) => {
      const graph = new StateGraph();
      const grafted = new Map<string, number>();
      const references = new References(scope, { ...rules, stagnation, fusion, window, aggregate });
      await walkTree(scope, {
        ...rules,
        grow: async (own, node) => {
          const guidance = references.shownAt(node);
          return await grow(own, node, { width, candidates, guidance });
        },
        need: (nodes) => ({ ...growNeed(scope, nodes, { width, candidates }), envSteps: Infinity }),
        grown: async (own, _node, children) => {
          if (!reuse || !scope.seesOutcome) return;
          for (const child of children) await takeOver(own, child, graph, grafted);
        },
        reopens: (node) => references.isToBeAggregated(node),
        backUp: (node, value) => {
          references.learn(node, value);
          if (merge || reuse) graph.backUp(node, value);
          else backUp(node, value);
        },
        ...(merge
          ? {
              recall: (node) => (graph.visits(node) > 0 ? graph.mean(node) : undefined),
              visits: (node) => (node.visits === 0 ? 0 : graph.visits(node)),
              quality: (child) => graph.mean(child),
            }
          : {}),
      });
      return await bestInTree(scope);
    },
  }),
});

// Reference edges: which lines an expansion is shown.

type ReferenceOptions = Pick<Options, "iterations" | "stagnation" | "fusion" | "window" | "aggregate">;

/** No new best among the last `count` values: the best is older, and nothing since has reached it. */
export function isStagnant(values: readonly number[], count: number): boolean {
  const recent = values.slice(-count);
  const best = Math.max(...values);
  return recent.length > 1 && recent.every((value) => value < best);
}

class References {
  readonly scope: SearchScope;
  readonly options: ReferenceOptions;
  readonly #branches = new Map<SearchNode, number[]>();
  readonly #all: number[] = [];
  #expansions = 0;
  #aggregated = 0;

  constructor(scope: SearchScope, options: ReferenceOptions) {
    this.scope = scope;
    this.options = options;
  }

  learn(node: SearchNode, value: number): void {
    this.#all.push(value);
    const branch = lineTo(node)[1];
    if (branch === undefined) return;
    const values = this.#branches.get(branch) ?? [];
    values.push(value);
    this.#branches.set(branch, values);
  }

  /** The opening, once nothing new comes of at least two branches that were worth something. */
  isToBeAggregated(node: SearchNode): boolean {
    const { window, aggregate } = this.options;
    if (node !== this.scope.root || this.#aggregated >= aggregate || this.#all.length <= window) return false;
    return this.#all.indexOf(Math.max(...this.#all)) < this.#all.length - window && this.#others().length > 1;
  }

  /** The text that an expansion is shown; undefined for a plain one. */
  shownAt(node: SearchNode): string | undefined {
    this.#expansions += 1;
    if (this.isToBeAggregated(node)) {
      this.#aggregated += 1;
      // What comes of it is looked at before it is done again.
      this.#all.length = 0;
      return `Other attempts went:\n${this.#others().map(lineWords).join("\n")}\nPut together what is good in them.`;
    }
    const line = lineTo(node);
    const [, branch] = line;
    if (branch === undefined || !isStagnant(this.#branches.get(branch) ?? [], this.options.stagnation))
      return undefined;
    const [other] = this.#others(branch);
    const lot = this.scope.rng.split(`reference ${this.#expansions}`).float();
    if (other !== undefined && this.#isLate && lot < this.options.fusion) {
      return `Another attempt went: ${lineWords(other)}. Use what is good in it.`;
    }
    // A single step is no history to learn from.
    if (line.length < 3) return undefined;
    const steps = line.slice(1).map((one) => `${oneLine(one.action ?? "")} (worth ${one.mean.toFixed(2)})`);
    return `This way went so far: ${steps.slice(-10).join("; ")}. Keep what helped and change what did not.`;
  }

  get #isLate(): boolean {
    return this.scope.left() <= 0.5 || this.#expansions > this.options.iterations / 2;
  }

  /** The branches that were worth something, without this one; the best first. */
  #others(own?: SearchNode): SearchNode[] {
    return this.scope.root.children
      .filter((branch) => branch !== own && branch.visits > 0 && branch.mean > 0)
      .toSorted((left, right) => right.mean - left.mean);
  }
}

/** A branch by its busiest line. */
function lineWords(branch: SearchNode): string {
  const actions: string[] = [];
  for (let at: SearchNode | undefined = branch; at !== undefined; at = busiest(at))
    actions.push(oneLine(at.action ?? ""));
  return `${actions.slice(0, 20).join("; ")} (worth ${branch.mean.toFixed(2)})`;
}

function busiest({ children }: SearchNode): SearchNode | undefined {
  return firstLargest(children, ({ visits }) => visits, 0);
}

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
