/** What else might have been said at each token of a walk: the policy's probabilities of tokens that were said elsewhere. */
import { throwIfAborted } from "../../base/index.ts";
import { createForest, wholeStreams } from "../../trajectory/index.ts";
import { isOwnStep } from "../ask.ts";
import type { Scope } from "../strategy.ts";
import type { Walk } from "../../walk/line/walk.ts";
import { ownTokens, type OwnToken } from "./own-tokens.ts";

/** More are not asked for; of these the most likely few count. */
const MOST_ASKED = 64;

export interface TokenCandidates extends OwnToken {
  readonly walk: Walk;
  /** Likely tokens at this place, the most likely first, and their probabilities. */
  readonly ids: readonly number[];
  readonly probabilities: readonly number[];
}

/** Ids that walks have said, in order of appearance. */
export function saidIds(walks: readonly Walk[]): number[] {
  return [...new Set(walks.flatMap((walk) => ownTokens(walk).map(({ id }) => id)))].slice(0, MOST_ASKED);
}

/** Candidates at every token of the walk, in one scoring; none when it cannot be paid or fails. */
export async function candidatesOf(
  { agent: { scorer }, purse, signal }: Scope,
  walk: Walk,
  all: readonly Walk[],
  most: number,
): Promise<TokenCandidates[]> {
  const ids = saidIds(all);
  if (scorer === undefined || ids.length < 2) return [];
  const paid = purse.reserve("modelCalls", 1);
  purse.settle("modelCalls", paid, paid);
  if (paid < 1) return [];
  const own = walk.trajectory();
  const forest = createForest(all.map((one) => one.trajectory()));
  const streams = wholeStreams(forest, own);
  const offset = (streams[0]?.ids.length ?? 0) - (own.streams[0]?.ids.length ?? 0);
  const rows = streams.map((stream) => ({
    ids: stream.ids,
    mask: stream.mask,
    candidates: {
      count: ids.length,
      ids: Int32Array.from({ length: stream.ids.length * ids.length }, (_, at) => ids[at % ids.length] as number),
    },
  }));
  try {
    const scores = await scorer.score(rows, { statistics: ["candidates"], signal });
    return ownTokens(walk).flatMap((said) => {
      const span = walk.steps.find(({ index }) => index === said.step && isOwnStep(walk, index))?.span;
      const logprobs = span === undefined ? undefined : scores[span.stream]?.candidates;
      if (span === undefined || logprobs === undefined) return [];
      const at = span.start + said.token + (span.stream === 0 ? offset : 0);
      const likely = ids
        .map((id, place) => ({ id, probability: Math.exp(logprobs[at * ids.length + place] as number) }))
        .filter(({ probability }) => probability > 0)
        .toSorted((left, right) => right.probability - left.probability)
        .slice(0, most);
      return [
        { ...said, walk, ids: likely.map(({ id }) => id), probabilities: likely.map(({ probability }) => probability) },
      ];
    });
  } catch {
    // Without the policy's probabilities there are no candidates here.
    throwIfAborted(signal);
    return [];
  }
}
