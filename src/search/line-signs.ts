/**
 * What can be told of a line without a model and without its outcome: whether its actions were possible, whether it kept
 * coming to new states, how sure the policy was, and whether it came to an end in time.
 *
 *   signs = (possible + fresh + sure + ended) / 4, each from 0 to 1; `sure` is left out where the policy shows no tokens
 */
import { mean } from "../base/index.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";

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

/** What the search thinks of a node: its estimate, or where nobody could give one what the signs say, never a full 1. */
export function worthOf(node: SearchNode): number {
  return node.estimate ?? 0.9 * signsOf(node);
}

/** The first of the worthiest. */
export function worthiest(nodes: readonly SearchNode[]): SearchNode | undefined {
  let best: SearchNode | undefined;
  for (const node of nodes) if (best === undefined || worthOf(node) > worthOf(best)) best = node;
  return best;
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
