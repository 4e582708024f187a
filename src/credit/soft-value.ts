/** The soft value of samples: temperature * ln(mean(exp(S / temperature))), between their mean and their largest. */
export function softValue(scores: readonly number[], temperature: number): number {
  const most = scores.reduce((best, score) => Math.max(best, score), Number.NEGATIVE_INFINITY);
  if (most === Number.NEGATIVE_INFINITY) return 0;
  // Less the largest, so that no exponential overflows.
  const sum = scores.reduce((total, score) => total + Math.exp((score - most) / temperature), 0);
  return most + temperature * Math.log(sum / scores.length);
}

/** Soft values of groups, on their members. */
export function softBaselines(scores: Float64Array, of: Int32Array, count: number, temperature: number): Float64Array {
  const members: number[][] = Array.from({ length: count }, () => []);
  for (let at = 0; at < scores.length; at += 1) members[of[at] as number]?.push(scores[at] as number);
  const values = members.map((own) => softValue(own, temperature));
  return Float64Array.from(of, (group) => values[group] as number);
}
