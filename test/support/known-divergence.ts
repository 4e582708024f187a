/** A token whose divergence from its teacher is known: the teacher believes in one word, the policy in it by exp(-kl). */
import type { Statistics, TrainRow } from "../../packages/policy/src/policy/objective.ts";

/** Far below any probability, and finite. */
const NEVER = -1e9;

/** A row whose trained tokens have these forward divergences, and what the policy believes there. */
export function knownDivergence(
  divergences: readonly number[],
  row: Partial<TrainRow> = {},
): { readonly row: TrainRow; readonly candidates: Float64Array } {
  const length = divergences.length + 1;
  const candidates = [0, 0, ...divergences.flatMap((kl) => [-kl, Math.log(1 - Math.exp(-kl))])];
  return {
    row: {
      ids: new Int32Array(length),
      mask: Uint8Array.from({ length }, (_, at) => (at === 0 ? 0 : 1)),
      candidates: { count: 2, ids: new Int32Array(2 * length) },
      teacherCandidates: Float32Array.from({ length: 2 * length }, (_, at) => (at % 2 === 0 ? 0 : NEVER)),
      ...row,
    },
    candidates: Float64Array.from(candidates),
  };
}

export function statisticsOf(known: readonly { readonly candidates: Float64Array }[]): Statistics {
  return { candidates: known.map(({ candidates }) => candidates) };
}
