/** Votes: which of several answers most agree on, each with a weight. */
import { option } from "limbeck-base/base/option";
import { discard, type Proposal } from "../walk/tree/search.ts";
import type { SearchScope, SearchNode } from "./search.ts";

/** The first voice of each meaning, and the weight behind it; the heaviest first, of equals the earlier. */
export function countVotes(
  meanings: readonly number[],
  weights: readonly number[],
): { readonly first: number; readonly weight: number }[] {
  const camps = new Map<number, number>();
  for (const [at, meaning] of meanings.entries()) camps.set(meaning, (camps.get(meaning) ?? 0) + (weights[at] ?? 0));
  return [...camps]
    .map(([first, weight]) => ({ first, weight }))
    .toSorted((left, right) => right.weight - left.weight || left.first - right.first);
}

export const voteOptions = {
  n: option.count(8, "voices"),
  over: option.choice(
    "episode",
    ["episode", "step"],
    "one vote over whole episodes by their last action, or one before every step",
  ),
} as const;

/** How much a voice weighs: the log-probability of its tokens, and their number. */
export type Weigh = (logprob: number | undefined, tokens: number) => number;

/** How much the ended episodes weigh, in their order. */
export type WeighEnds = (
  ends: readonly SearchNode[],
  scope: SearchScope,
) => readonly number[] | Promise<readonly number[]>;

export async function voteOverEpisodes(
  scope: SearchScope,
  n: number,
  weighEnds: WeighEnds,
): Promise<SearchNode | undefined> {
  const voices = Array.from({ length: n }, (_, at) => at);
  const walked = await scope.each(voices, (own) => own.walkOn(scope.root));
  // An episode that did not end has no answer.
  const ends = walked.filter((end) => end?.ending !== undefined && end.ending !== "failed") as SearchNode[];
  const weights = await weighEnds(ends, scope);
  const answers = ends.map(({ action = "" }) => action);
  const camps = countVotes(await scope.meanings(answers), weights);
  const [winner] = camps;
  for (const { first, weight } of camps) {
    const end = ends[first] as SearchNode;
    end.info = { ...end.info, votes: weight };
  }
  return winner === undefined ? walked.find((end) => end !== undefined) : ends[winner.first];
}

/** Takes what most would do, step by step. Equal votes go to the answer that came first. */
export async function voteOverSteps(scope: SearchScope, n: number, weigh: Weigh): Promise<SearchNode | undefined> {
  let node = scope.root;
  while (!node.closed) {
    const proposals = await scope.propose(node, { count: n });
    const weights = proposals.map(({ logprob, said }) => weigh(logprob, said));
    const answers = proposals.map(({ action }) => action);
    const [winner] = countVotes(await scope.meanings(answers), weights);
    const chosen = winner === undefined ? undefined : (proposals[winner.first] as Proposal);
    for (const proposal of proposals) if (proposal !== chosen) discard(proposal);
    const next = chosen === undefined ? undefined : await scope.take(node, chosen);
    if (next === undefined) break;
    next.info = { ...next.info, votes: winner?.weight ?? 0 };
    node = next;
  }
  return node === scope.root ? undefined : node;
}

export function lineTotals(end: SearchNode): { readonly logprob: number | undefined; readonly tokens: number } {
  let logprob: number | undefined;
  let tokens = 0;
  for (let at: SearchNode | undefined = end; at !== undefined; at = at.parent) {
    if (at.logprob === undefined) continue;
    logprob = (logprob ?? 0) + at.logprob;
    tokens += at.said;
  }
  return { logprob, tokens };
}
