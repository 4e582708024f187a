/**
 * Divergence from a teacher on chosen candidates: forward, reverse, in between, or the cross-entropy of the teacher's
 * likely words (`divergences.ts` has the formulas). What the candidates leave over counts as one more outcome unless told,
 * so that it is a true divergence (0 only where both agree on every candidate). Candidates may be the teacher's most likely
 * words, the policy's, or the whole vocabulary; then nothing is left over.
 */
import { AGGREGATION_DEFAULTS, checkAggregation, rowFactors, type AggregationOptions } from "./aggregation.ts";
import type { Objective, TrainRow } from "../policy/index.ts";
import { checkDivergence, DIVERGENCE_DEFAULTS, divergenceOf, type DivergenceOptions } from "./divergences.ts";
import { badRow, statistic, taughtPositions, trainedPositions } from "./row-fields.ts";
import { withDefaults, type ObjectiveMethod } from "./train.ts";

export interface CandidateDivergenceOptions extends AggregationOptions, DivergenceOptions {}

const ID = "candidate-divergence";
const DEFAULTS: CandidateDivergenceOptions = { ...AGGREGATION_DEFAULTS, ...DIVERGENCE_DEFAULTS };

export const candidateDivergence: ObjectiveMethod<CandidateDivergenceOptions> = {
  info: {
    title: "Divergence from a teacher on candidates",
    paper: "arXiv 2306.13649 (generalised knowledge distillation), directions as there",
    confidence: "paper",
    formula:
      "forward: KL(q || p), reverse: KL(p || q), jsd: b KL(q || m) + (1 - b) KL(p || m) with m = (1 - b) p + b q, cross-entropy: -sum q' log p; over the candidates, and the rest as one outcome or both sides renormalised",
    meaning: "Makes the policy believe what the teacher believes of its most likely words.",
    departures: ["Published forms leave out or renormalise the rest; here it is one outcome of its own unless told."],
    defaults: { ...DEFAULTS },
  },
  needs: ["candidates"],
  rowFields: [],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    checkDivergence(ID, options);
    checkAggregation(ID, options);
    return objectiveOf(options);
  },
};

function objectiveOf(options: CandidateDivergenceOptions): Objective {
  const divergence = divergenceOf(options);
  return {
    needs: ["candidates"],
    ...(constantSlopes(options) ? { constantWeights: true } : {}),
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
        const { teacher, count } = teacherCandidatesOf(ID, row, at);
        for (const token of positions) {
          const own = (factors[at] as number) * (row.weights?.[token] ?? 1);
          const [from, to] = [token * count, (token + 1) * count];
          const value = divergence(now, teacher, slopes, from, to);
          for (let one = from; one < to; one += 1) slopes[one] = own * (slopes[one] as number);
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

/** Only the teacher stands in the slopes: one pass of the learner is enough. */
function constantSlopes({ direction, clamp }: DivergenceOptions): boolean {
  return direction === "cross-entropy" && clamp === null;
}

/** A teacher's word on each candidate of a row, or an error that names the row. */
export function teacherCandidatesOf(
  id: string,
  row: TrainRow,
  at: number,
): { readonly teacher: Float32Array; readonly count: number } {
  const { teacherCandidates, candidates, ids } = row;
  const count = candidates?.count ?? 0;
  if (teacherCandidates !== undefined && count > 0 && teacherCandidates.length === ids.length * count) {
    return { teacher: teacherCandidates, count };
  }
  throw badRow(
    at,
    "teacherCandidates",
    `${id}: row ${at} has ${teacherCandidates?.length ?? 0} teacherCandidates for ${ids.length} tokens of ${count} candidates; give one for each candidate.`,
  );
}
