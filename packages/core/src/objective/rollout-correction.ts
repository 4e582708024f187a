/**
 * Rollout correction: the sampler that drew the tokens and the trainer that scores them disagree.
 *
 *   w_t = exp(clip(old_t - sampler_t, -20, 20)), or one w for a row from the sum; then w = min(w, truncate)
 *
 * Rejection takes tokens or rows out whose estimate of the divergence between sampler and trainer is above a threshold:
 * k = sampler - old, in the estimators of 2.12. They lose their place in the loss, not in group statistics, which were
 * made before. Weights and rejection are constants: no gradient flows through them.
 */
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { KL_ESTIMATORS, klValue } from "./kl-estimators.ts";
import { ratioOf } from "./ratio.ts";
import { badRow, tokenField } from "./row-fields.ts";

export const rolloutCorrectionOption = {
  rolloutCorrection: {
    kind: "table",
    default: null,
    automatic: true,
    meaning: "how the distance between sampler and trainer is made up for; none: not at all",
    fields: {
      level: option.choice(
        "token",
        ["token", "sequence", "none"],
        "what has a weight of its own; none leaves the weights at 1, for rejection alone",
      ),
      truncate: option.limit(2, "largest weight; none: not truncated", { above: 0 }),
      reject: {
        kind: "table",
        default: null,
        meaning: "takes out what is too far from the sampler",
        fields: {
          estimator: { kind: "choice", choices: KL_ESTIMATORS, meaning: "estimator of the divergence" },
          by: {
            kind: "choice",
            choices: ["token", "sum", "mean", "max"],
            meaning: "token rejects tokens; the others reject rows by that statistic of their tokens",
          },
          above: { kind: "number", meaning: "what lies above is rejected" },
        },
      },
      bypass: option.flag(false, "takes the sampler's log-probabilities as the old ones and corrects nothing"),
    },
  },
} as const satisfies DeepTable;

export type RolloutCorrection = NonNullable<OptionValues<typeof rolloutCorrectionOption>["rolloutCorrection"]>;
export type Rejection = NonNullable<RolloutCorrection["reject"]>;

/** What correction does to a batch. */
export interface Corrected {
  /** Positions that are still trained. */
  readonly trained: Int32Array[];
  /** One weight per token of each row. */
  readonly weights: Float64Array[];
  readonly metrics: Readonly<Record<string, number>>;
}

export function correctRollouts(
  id: string,
  rows: readonly TrainRow[],
  trained: readonly Int32Array[],
  options: RolloutCorrection,
): Corrected {
  let [sum, tokens, rejectedTokens, rejectedRows] = [0, 0, 0, 0];
  const weights: Float64Array[] = [];
  const kept = rows.map((row, at) => {
    const positions = trained[at] as Int32Array;
    const { ratios, remaining } = correctRow(id, rows, at, positions, options);
    for (const token of remaining) sum += ratios[token] as number;
    tokens += remaining.length;
    rejectedTokens += positions.length - remaining.length;
    if (positions.length > 0 && remaining.length === 0) rejectedRows += 1;
    weights.push(ratios);
    return remaining;
  });
  const meanWeight = tokens === 0 ? 0 : sum / tokens;
  return { trained: kept, weights, metrics: { rolloutWeight: meanWeight, rejectedTokens, rejectedRows } };
}

function correctRow(
  id: string,
  rows: readonly TrainRow[],
  at: number,
  positions: Int32Array,
  { level, truncate, reject, bypass }: RolloutCorrection,
): { ratios: Float64Array; remaining: Int32Array } {
  const row = rows[at] as TrainRow;
  const ratios = new Float64Array(row.ids.length).fill(1);
  const sampler = row.rolloutLogprobs;
  // A row whose sampler reported nothing keeps weight 1, and so does a single token without a number.
  if (bypass || sampler === undefined || positions.length === 0) return { ratios, remaining: positions };
  if (sampler.length !== row.ids.length) {
    const lengths = `${sampler.length} rolloutLogprobs for ${row.ids.length} tokens`;
    throw badRow(at, "rolloutLogprobs", `${id}: row ${at} has ${lengths}; arrays are aligned with ids.`);
  }
  const old = tokenField(id, rows, at, "oldLogprobs", positions);
  const shifts = new Float64Array(row.ids.length);
  for (const token of positions) {
    const shift = (old[token] as number) - (sampler[token] as number);
    shifts[token] = Number.isFinite(shift) ? shift : 0;
  }
  const most = truncate ?? Number.POSITIVE_INFINITY;
  const weight = (shift: number): number => Math.min(ratioOf(shift), most);
  const whole = weight(positions.reduce((total, token) => total + (shifts[token] as number), 0));
  if (level !== "none") {
    for (const token of positions) ratios[token] = level === "token" ? weight(shifts[token] as number) : whole;
  }
  return { ratios, remaining: reject === null ? positions : remaining(positions, shifts, reject) };
}

function remaining(positions: Int32Array, shifts: Float64Array, { estimator, by, above }: Rejection): Int32Array {
  const values = Array.from(positions, (token) => klValue(estimator, -(shifts[token] as number)));
  if (by === "token") return positions.filter((_, index) => !((values[index] as number) > above));
  const sum = values.reduce((total, value) => total + value, 0);
  const statistic = by === "sum" ? sum : by === "mean" ? sum / values.length : Math.max(...values);
  return statistic > above ? new Int32Array(0) : positions;
}
