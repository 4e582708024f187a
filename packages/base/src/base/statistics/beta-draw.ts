/** Draws from a Beta distribution, as the share of one of two gamma draws (Marsaglia and Tsang, 2000). */
import type { Rng } from "../rng.ts";

export function drawBeta(a: number, b: number, rng: Rng): number {
  const [one, other] = [drawGamma(a, rng), drawGamma(b, rng)];
  return one / (one + other);
}

export function drawGamma(shape: number, rng: Rng): number {
  // Below 1 the draw of shape + 1 is scaled down.
  if (shape < 1) return drawGamma(shape + 1, rng) * (1 - rng.float()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = rng.normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - rng.float()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}
