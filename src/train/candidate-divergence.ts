/**
 * Divergence from a teacher on chosen candidates, in either direction. What the candidates leave over counts as one more
 * outcome, so that it is a true divergence (0 only where both agree on every candidate):
 *
 *   forward: L = sum q (log q - log p) + q_rest (log q_rest - log p_rest)      d/d log p = p q_rest / p_rest - q
 *   reverse: L = sum p (log p - log q) + p_rest (log p_rest - log q_rest)
 *            d/d log p = p ((log p - log q) - (log p_rest - log q_rest))
 *
 * Candidates may be the teacher's most likely words or the whole vocabulary; then nothing is left over.
 */
import { AGGREGATION_DEFAULTS, checkAggregation, rowFactors, type AggregationOptions } from "./aggregation.ts";
import type { Objective, TrainRow } from "../policy/index.ts";
import { badRow, statistic, taughtPositions, trainedPositions } from "./row-fields.ts";
import { badOption, withDefaults, type ObjectiveMethod } from "./train.ts";

export interface CandidateDivergenceOptions extends AggregationOptions {
  readonly direction: "forward" | "reverse";
}

const ID = "candidate-divergence";
const DEFAULTS: CandidateDivergenceOptions = { ...AGGREGATION_DEFAULTS, direction: "reverse" };
/** Below this the rest counts as nothing: rounding of 32-bit probabilities that sum to one. */
const NOTHING = 1e-6;

export const candidateDivergence: ObjectiveMethod<CandidateDivergenceOptions> = {
  info: {
    title: "Divergence from a teacher on candidates",
    paper: "arXiv 2306.13649 (generalised knowledge distillation), directions as there",
    confidence: "paper",
    formula: "forward: KL(q || p), reverse: KL(p || q), over the candidates and the rest as one outcome",
    meaning: "Makes the policy believe what the teacher believes of its most likely words.",
    departures: ["Published forms leave out or renormalise the rest; here it is one outcome of its own."],
    defaults: { ...DEFAULTS },
  },
  needs: ["candidates"],
  rowFields: [],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    const { direction } = options;
    if (direction !== "forward" && direction !== "reverse") {
      throw badOption(ID, "direction", direction, '"forward" or "reverse"');
    }
    checkAggregation(ID, options);
    return objectiveOf(options);
  },
};

function objectiveOf(options: CandidateDivergenceOptions): Objective {
  const forward = options.direction === "forward";
  return {
    needs: ["candidates"],
    compute: (live, _frozen, rows) => {
      const lives = statistic(ID, live, "candidates", rows);
      const trained = trainedPositions(ID, rows, 1).map((positions, at) =>
        rows[at]?.teacherCandidates === undefined ? new Int32Array(0) : taughtPositions(rows[at], positions),
      );
      const factors = rowFactors(trained, options);
      let [loss, tokens, sum] = [0, 0, 0];
      const weights = rows.map((row, at) => {
        const now = lives[at] as Float64Array;
        const slopes = new Float64Array(now.length);
        const positions = trained[at] as Int32Array;
        if (positions.length === 0) return slopes;
        const { teacher, count } = teacherOf(row, at);
        const factor = factors[at] as number;
        for (const token of positions) {
          const own = factor * (row.weights?.[token] ?? 1);
          const [from, to] = [token * count, (token + 1) * count];
          const value = forward
            ? forwardToken(now, teacher, slopes, from, to, own)
            : reverseToken(now, teacher, slopes, from, to, own);
          loss += own * value;
          sum += value;
        }
        tokens += positions.length;
        return slopes;
      });
      const metrics = { trainedTokens: tokens, divergence: tokens === 0 ? 0 : sum / tokens };
      return { loss, weights: { candidates: weights }, metrics };
    },
  };
}

function teacherOf(row: TrainRow, at: number): { readonly teacher: Float32Array; readonly count: number } {
  const { teacherCandidates, candidates, ids } = row;
  const count = candidates?.count ?? 0;
  if (teacherCandidates !== undefined && count > 0 && teacherCandidates.length === ids.length * count) {
    return { teacher: teacherCandidates, count };
  }
  throw badRow(
    at,
    "teacherCandidates",
    `${ID}: row ${at} has ${teacherCandidates?.length ?? 0} teacherCandidates for ${ids.length} tokens of ${count} candidates; give one for each candidate.`,
  );
}

/** What the candidates leave over, and 0 where that is only rounding. */
function restOf(logprobs: Float64Array | Float32Array, from: number, to: number): number {
  let rest = 1;
  for (let at = from; at < to; at += 1) rest -= Math.exp(logprobs[at] as number);
  return rest < NOTHING ? 0 : rest;
}

function forwardToken(
  now: Float64Array,
  teacher: Float32Array,
  slopes: Float64Array,
  from: number,
  to: number,
  factor: number,
): number {
  const restNow = restOf(now, from, to);
  const restTeacher = restOf(teacher, from, to);
  const both = restNow > 0 && restTeacher > 0;
  let value = both ? restTeacher * Math.log(restTeacher / restNow) : 0;
  for (let at = from; at < to; at += 1) {
    const q = Math.exp(teacher[at] as number);
    value += q * ((teacher[at] as number) - (now[at] as number));
    slopes[at] = factor * ((both ? (Math.exp(now[at] as number) * restTeacher) / restNow : 0) - q);
  }
  return value;
}

function reverseToken(
  now: Float64Array,
  teacher: Float32Array,
  slopes: Float64Array,
  from: number,
  to: number,
  factor: number,
): number {
  const restNow = restOf(now, from, to);
  const restTeacher = restOf(teacher, from, to);
  const both = restNow > 0 && restTeacher > 0;
  const rest = both ? Math.log(restNow / restTeacher) : 0;
  let value = restNow * rest;
  for (let at = from; at < to; at += 1) {
    const p = Math.exp(now[at] as number);
    const gap = (now[at] as number) - (teacher[at] as number);
    value += p * gap;
    // Without a rest the sum of p is held at 1 by the softmax itself; the 1 of d(p log p) then cancels out.
    slopes[at] = factor * p * (gap + (both ? -rest : 1));
  }
  return value;
}
