/** Supervised rows with what the policy would say at every trained token: the rollouts of OTR. */
import type { Rng } from "limbeck-base/base/rng";
import { drawOneTokens, type OneTokenOptions } from "../distill/one-token.ts";
import type { ScoreRow, Scorer } from "limbeck-policy/policy/policy";
import type { TrainRow } from "limbeck-policy/policy/objective";

/** Numbers that are asked for at once; a whole vocabulary at every token is large. */
const MOST_NUMBERS = 32_000_000;

export interface OneTokenRowsOptions extends OneTokenOptions {
  readonly vocabularySize: number;
  /** Splits the draws of this batch from those of others. */
  readonly rng: Rng;
  readonly signal?: AbortSignal;
}

export async function oneTokenRows(
  scorer: Scorer,
  rows: readonly TrainRow[],
  { vocabularySize: size, rng, signal, ...drawing }: OneTokenRowsOptions,
): Promise<TrainRow[]> {
  const drawn: TrainRow[] = [];
  for (const part of partsOf(rows, size)) {
    const wide = part.map(({ ids, mask }): ScoreRow => {
      const every = Int32Array.from({ length: ids.length * size }, (_, at) => at % size);
      return { ids, mask, candidates: { count: size, ids: every } };
    });
    const scored = await scorer.score(wide, {
      statistics: ["candidates"],
      ...(signal === undefined ? {} : { signal }),
    });
    part.forEach((row, at) => {
      const logprobs = scored[at]?.candidates as Float32Array;
      drawn.push({ ...row, candidates: drawOneTokens(row, logprobs, drawing, rng.split(drawn.length)) });
    });
  }
  return drawn;
}

/** A row at least; more while they fit. */
function partsOf(rows: readonly TrainRow[], vocabularySize: number): TrainRow[][] {
  const parts: TrainRow[][] = [];
  let room = 0;
  for (const row of rows) {
    const numbers = row.ids.length * vocabularySize;
    if (parts.length === 0 || numbers > room) {
      parts.push([]);
      room = MOST_NUMBERS;
    }
    parts.at(-1)?.push(row);
    room -= numbers;
  }
  return parts;
}
