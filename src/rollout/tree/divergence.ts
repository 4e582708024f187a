/** ROSE's measures of how far the alternatives at a token lead apart. */

export type DivergenceMetric = "safe" | "entropy" | "cosine" | "source";

export interface Alternatives {
  readonly probabilities: readonly number[];
  /** Similarity in meaning of two alternatives. Default: 0: different tokens have nothing in common. */
  readonly cosine?: (one: number, other: number) => number;
}

/**
 * entropy: H = -sum p ln p.   cosine: -sum over i != j of p_i p_j cos_ij.   source: H * cosine, as published; with
 * positive similarities never above 0, so that a certain token wins.   safe: H * sum p_i p_j (1 - cos_ij), never below 0.
 * Fewer than two alternatives: 0.
 */
export function divergence({ probabilities, cosine = () => 0 }: Alternatives, metric: DivergenceMetric): number {
  if (probabilities.length < 2) return 0;
  const entropy = probabilities.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
  if (metric === "entropy") return entropy;
  let [alike, apart] = [0, 0];
  for (const [i, p] of probabilities.entries()) {
    for (const [j, q] of probabilities.entries()) {
      if (i === j) continue;
      const likeness = cosine(i, j);
      alike += p * q * likeness;
      apart += p * q * (1 - likeness);
    }
  }
  if (metric === "cosine") return -alike;
  return entropy * (metric === "source" ? -alike : apart);
}
