/** One small batch through an objective, in plain arrays: what the tests of hand-worked numbers share. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { Objective, StatisticName, Statistics, TrainRow } from "../../packages/policy/src/policy/objective.ts";

type Arrays = Partial<Record<"advantages" | "oldLogprobs" | "oldValues" | "referenceLogprobs", readonly number[]>> &
  Partial<Record<"clipScales" | "returns" | "rolloutLogprobs" | "teacherLogprobs" | "weights", readonly number[]>>;

/** A row as it stands in a test: numbers of the response only. The prompt is one token before them. */
export interface ResponseRow extends Arrays {
  readonly now: readonly number[];
  /** Default: all trained. */
  readonly mask?: readonly number[];
  readonly pair?: string;
  readonly rank?: number;
}

const PROMPT = 9;

export function trainRow({ now, mask = now.map(() => 1), pair, rank, ...arrays }: ResponseRow): TrainRow {
  const fields = Object.entries(arrays).map(([name, values]) => [name, Float64Array.from([PROMPT, ...values])]);
  return {
    ids: new Int32Array(now.length + 1),
    mask: Uint8Array.from([0, ...mask]),
    ...(pair === undefined ? {} : { pair }),
    ...(rank === undefined ? {} : { rank }),
    ...Object.fromEntries(fields),
  };
}

/** Loss, metrics and the weights of the response tokens. */
export function computeRows(objective: Objective, rows: readonly ResponseRow[], name: StatisticName = "logprob") {
  const held = (): Statistics => ({ [name]: rows.map(({ now }) => Float64Array.from([0, ...now])) });
  const { loss, weights, metrics = {} } = objective.compute(held(), held(), rows.map(trainRow));
  const slopes = (weights[name] ?? []).map((row) => [...row.subarray(1)]);
  return { loss, metrics, slopes };
}

/** Fixed random weights on each log-probability. */
export const weighted: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }) => {
    const source = createRng("objective");
    let loss = 0;
    const weights = logprob.map((values) =>
      values.map((value, at) => {
        const weight = at === 0 ? 0 : source.normal();
        loss += weight * value;
        return weight;
      }),
    );
    return { loss, weights: { logprob: weights } };
  },
};
