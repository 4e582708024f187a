/** The standard normal distribution. */
import { EngineError } from "../errors.ts";

/**
 * Standard normal quantile by Acklam's rational approximation (relative error below 1.2e-9).
 * normalQuantile(0.975) = 1.959964.
 */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new EngineError("bad-sample", `Normal quantile needs 0 < p < 1; got ${p}.`);
  const tail = Math.min(p, 1 - p);
  if (tail >= 0.024_25) {
    const x = p - 0.5;
    const r = x * x;
    const top = [
      -39.696_830_286_653_76, 220.946_098_424_520_5, -275.928_510_446_968_7, 138.357_751_867_269,
      -30.664_798_066_147_16, 2.506_628_277_459_239,
    ];
    const bottom = [
      -54.476_098_798_224_06, 161.585_836_858_040_9, -155.698_979_859_886_6, 66.801_311_887_719_72,
      -13.280_681_552_885_72, 1,
    ];
    return (horner(top, r) * x) / horner(bottom, r);
  }
  const q = Math.sqrt(-2 * Math.log(tail));
  const top = [
    -0.007_784_894_002_430_293, -0.322_396_458_041_136_5, -2.400_758_277_161_838, -2.549_732_539_343_734,
    4.374_664_141_464_968, 2.938_163_982_698_783,
  ];
  const bottom = [0.007_784_695_709_041_462, 0.322_467_129_070_039_8, 2.445_134_137_142_996, 3.754_408_661_907_416, 1];
  const value = horner(top, q) / horner(bottom, q);
  return p < 0.5 ? value : -value;
}

/**
 * Probability below x. Within six deviations the series of G. Marsaglia (2004), Phi(x) = 1/2 + phi(x) (x + x^3/3 +
 * x^5/(3·5) + …); beyond, Laplace's continued fraction for the tail, where the series would lose all digits.
 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) return Number.NaN;
  const density = Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(x) > 6) {
    const size = Math.abs(x);
    let below = size;
    for (let step = 60; step >= 1; step -= 1) below = size + step / below;
    return x < 0 ? density / below : 1 - density / below;
  }
  let [term, total, previous] = [x, x, Number.NaN];
  for (let odd = 3; total !== previous; odd += 2) {
    previous = total;
    term *= (x * x) / odd;
    total += term;
  }
  return 0.5 + density * total;
}

function horner(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((value, coefficient) => value * x + coefficient, 0);
}
