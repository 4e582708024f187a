/**
 * PW-OPSD's weights of a response's tokens by position (methods.md 4.9). Late tokens weigh more: by then a teacher who
 * knows the answer says little that the text before it does not say already. t counts the n valid tokens from 1.
 *
 *   linear:  w_t = 1 + slope (2 (t - 1/2) / n - 1)        mean exactly 1
 *   power:   w_t proportional to (t / n)^exponent          scaled to mean 1
 */
import { EngineError } from "limbeck-base/base/errors";

export const POSITION_FORMS = ["linear", "power"] as const;

export interface PositionWeights {
  readonly form: (typeof POSITION_FORMS)[number];
  /** Of the linear form, from 0 (all alike) to 1. */
  readonly slope: number;
  /** Of the power form, at least 0. */
  readonly exponent: number;
  /** Largest weight; null: none. A cap of 1 keeps the cut end of a truncated response from counting most. */
  readonly most: number | null;
}

/** One weight a token; 0 where the mask is 0. */
export function weighPositions(mask: Uint8Array, options: PositionWeights): Float64Array {
  const { form, slope, exponent, most } = options;
  if (!(slope >= 0 && slope <= 1)) {
    throw new EngineError("bad-option", `The slope of position weights is ${slope}; it must be from 0 to 1.`);
  }
  if (!(exponent >= 0)) {
    throw new EngineError("bad-option", `The exponent of position weights is ${exponent}; it must be at least 0.`);
  }
  const tokens = mask.reduce((sum, one) => sum + one, 0);
  const raw = (place: number): number =>
    form === "linear" ? 1 + slope * ((2 * (place - 0.5)) / tokens - 1) : (place / tokens) ** exponent;
  let total = 0;
  for (let place = 1; place <= tokens; place += 1) total += raw(place);
  const scale = form === "linear" ? 1 : tokens / total;
  const weights = new Float64Array(mask.length);
  let place = 0;
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] !== 1) continue;
    place += 1;
    weights[token] = Math.min(scale * raw(place), most ?? Number.POSITIVE_INFINITY);
  }
  return weights;
}
