/** The soft value of samples: temperature * ln(mean(exp(S / temperature))), between their mean and their largest. */
import { type Grouping, groupMembers, real } from "./columns.ts";
export function softValue(scores: readonly number[], temperature: number): number {
  const most = scores.reduce((best, score) => Math.max(best, score), Number.NEGATIVE_INFINITY);
  if (most === Number.NEGATIVE_INFINITY) return 0;
  // Less the largest, so that no exponential overflows.
  const sum = scores.reduce((total, score) => total + Math.exp((score - most) / temperature), 0);
  return most + temperature * Math.log(sum / scores.length);
}

/** Soft value of each group. */
export function softBaselines(scores: Float64Array, groups: Grouping, temperature: number): Float64Array {
  return Float64Array.from(groupMembers(groups), (members) =>
    softValue(
      members.map((at) => real(scores, at)),
      temperature,
    ),
  );
}
