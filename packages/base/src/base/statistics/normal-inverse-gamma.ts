/** What is believed of the mean and the variance of numbers: the conjugate prior of normal data (Murphy 2023, 3.4.3.3). */
import type { Rng } from "../rng.ts";
import { drawGamma } from "./beta-draw.ts";

/** The mean is believed to be `mean` as by `kappa` numbers, their variance `variance` as by `nu` numbers. */
export interface NormalInverseGamma {
  readonly mean: number;
  readonly kappa: number;
  readonly nu: number;
  readonly variance: number;
}

/** After so many numbers with this mean, and the sum of their squared distances from it. */
export function learnt(
  { mean, kappa, nu, variance }: NormalInverseGamma,
  seen: { readonly count: number; readonly mean: number; readonly squares: number },
): NormalInverseGamma {
  const [both, more] = [kappa + seen.count, nu + seen.count];
  const apart = (seen.count * kappa * (mean - seen.mean) ** 2) / both;
  return {
    mean: (kappa * mean + seen.count * seen.mean) / both,
    kappa: both,
    nu: more,
    variance: (nu * variance + seen.squares + apart) / more,
  };
}

/** A draw of the mean. */
export function drawMean({ mean, kappa, nu, variance }: NormalInverseGamma, rng: Rng): number {
  const drawn = (nu * variance) / 2 / drawGamma(nu / 2, rng);
  return mean + Math.sqrt(drawn / kappa) * rng.normal();
}
