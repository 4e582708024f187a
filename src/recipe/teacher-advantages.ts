/** The teacher's shift of the sampled token as its advantage: A = coefficient (log teacher - log old), where it spoke. */
import type { TrainRow } from "../policy/index.ts";

/** Rows without a teacher, and tokens at which it said nothing, get 0. */
export function teacherAdvantages(rows: readonly TrainRow[], coefficient: number): TrainRow[] {
  return rows.map((row) => {
    const { teacherLogprobs, oldLogprobs, teacherMask, mask } = row;
    const advantages = new Float64Array(mask.length);
    if (teacherLogprobs === undefined || oldLogprobs === undefined) return { ...row, advantages };
    for (let token = 0; token < mask.length; token += 1) {
      if (mask[token] !== 1 || teacherMask?.[token] !== 1) continue;
      advantages[token] = coefficient * ((teacherLogprobs[token] as number) - (oldLogprobs[token] as number));
    }
    return { ...row, advantages };
  });
}
