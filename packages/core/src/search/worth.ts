/**
 * What is known of a line without a model and without its outcome: whether its actions were possible, whether it kept
 * coming to new states, how sure the policy was, and whether it came to an end in time.
 *
 *   signs = (possible + fresh + sure + ended) / 4, each from 0 to 1; `sure` is left out where the policy shows no tokens
 */
import { mean } from "limbeck-base/base/statistics/summary";
import { firstLargest } from "../walk/shares.ts";
import { lineTo, nodesBelow, type SearchNode } from "../walk/tree/node.ts";
import type { SearchScope } from "./search.ts";

/** From 0 to 1. */
export function signsOf(leaf: SearchNode): number {
  const line = lineTo(leaf).slice(1);
  if (line.length === 0) return 0;
  const possible = line.filter(({ step }) => step?.valid === true).length / line.length;
  const fresh = (new Set(line.map(({ stateKey }) => stateKey)).size - 1) / Math.max(1, line.length - 1);
  const ended = leaf.ending === "terminated" ? 1 : leaf.ending === undefined ? 0.5 : 0;
  const said = line.reduce((total, node) => total + (node.logprob === undefined ? 0 : node.said), 0);
  const logprob = line.reduce((total, node) => total + (node.logprob ?? 0), 0);
  const sure = said === 0 ? [] : [Math.exp(logprob / said)];
  return mean([possible, line.length === 1 ? 1 : fresh, ended, ...sure]);
}

/** What the search thinks of a node: its estimate, or where there is none what the signs say, never a full 1. */
export function worthOf(node: SearchNode): number {
  return node.estimate ?? 0.9 * signsOf(node);
}

/** The first of the worthiest. */
export function worthiestNode(nodes: readonly SearchNode[]): SearchNode | undefined {
  return firstLargest(nodes, worthOf);
}

/** It has ended, and as far as the search may know it is right: nothing better can be found. */
export function isSolved(node: SearchNode): boolean {
  return node.ending !== undefined && (node.estimate ?? 0) >= 1;
}

/**
 * Where a line that failed is worth going back to: before its first step that was refused, or that came back to a state
 * it had left; otherwise the middle of it.
 */
export function pivotOf(leaf: SearchNode): SearchNode {
  const line = lineTo(leaf);
  const seen = new Set<string>();
  for (const [at, node] of line.entries()) {
    const before = line[at - 1];
    if (before !== undefined && (node.step?.valid === false || seen.has(node.stateKey))) return before;
    seen.add(node.stateKey);
  }
  return line[Math.floor((line.length - 1) / 2)] as SearchNode;
}

// Which of several nodes a search acts on.

/**
 * The worthiest; of equals the one that ended, then the shorter line, then the first.
 *
 * @example
 * const twice = defineSearch({
 *   info: { title: "Twice", meaning: "Plays two episodes and keeps the better.", paper: "Our own", confidence: "practice", formula: [], departures: [] },
 *   options: {},
 *   create: () => ({
 *     run: async (scope) => {
 *       const ends = [await scope.walkOn(scope.root), await scope.walkOn(scope.root)];
 *       return bestOf(ends.filter((end) => end !== undefined));
 *     },
 *   }),
 * });
 * console.log((await search({ env: "countdown", policy: "expert", tasks: 1, search: twice.create({}) })).success); // 1
 */
export function bestOf(nodes: readonly SearchNode[]): SearchNode | undefined {
  let best: SearchNode | undefined;
  for (const node of nodes) if (best === undefined || isBetter(node, best)) best = node;
  return best;
}

function isBetter(node: SearchNode, than: SearchNode): boolean {
  const [left, right] = [worthOf(node), worthOf(than)];
  if (left !== right) return left > right;
  const [over, other] = [node.ending !== undefined, than.ending !== undefined];
  if (over !== other) return over;
  return node.depth < than.depth;
}

// What a tree search acts on in the end.

/**
 * The best episode that ended anywhere in the tree, continuations that gave values included. Where none ended, or where
 * the search cannot tell a good end from a bad one, another choice. Default: the line that was visited most.
 */
export async function bestInTree(
  scope: SearchScope,
  otherwise: (root: SearchNode) => SearchNode | undefined = mostVisited,
): Promise<SearchNode | undefined> {
  const ended = nodesBelow(scope.root).filter((node) => node.ending !== undefined && node.ending !== "failed");
  if (scope.seesOutcome) await scope.evaluate(ended);
  const known = ended.filter(({ estimate }) => estimate !== undefined);
  return known.length > 0 ? bestOf(known) : otherwise(scope.root);
}

export function mostVisited(root: SearchNode): SearchNode | undefined {
  let node = root;
  for (;;) {
    let next: SearchNode | undefined;
    for (const child of node.children) {
      const isMore =
        next === undefined || child.visits > next.visits || (child.visits === next.visits && child.mean > next.mean);
      if (isMore && !child.dropped) next = child;
    }
    if (next === undefined) return node === root ? undefined : node;
    node = next;
  }
}
