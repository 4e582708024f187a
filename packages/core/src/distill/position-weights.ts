/**
 * PW-OPSD's weights of a response's tokens by position. Late tokens weigh more: by then a teacher who knows the answer
 * says little that the text before it does not say already. t = (place - 1/2) / n, the valid tokens counted from 1 to n.
 *
 *   sigmoid:  w = least + (1 - least) / (1 + exp(-(t - rise) / width))    as published; at most 1, and no mean of 1
 *   linear:   w = 1 + slope (2 t - 1)                                     mean exactly 1
 */
import { EngineError } from "limbeck-base/base/errors";

export const POSITION_FORMS = ["sigmoid", "linear"] as const;

export interface PositionWeights {
  readonly form: (typeof POSITION_FORMS)[number];
  /** Of the sigmoid: what the weight comes from, from 0 to 1. */
  readonly least: number;
  /** Of the sigmoid: the place at which half of the way is done, as a share of the response. */
  readonly rise: number;
  /** Of the sigmoid: how long the rise takes, above 0. */
  readonly width: number;
  /** Of the linear form, from 0 (all alike) to 1. */
  readonly slope: number;
}

/** One weight a token; 0 where the mask is 0. */
export function weighPositions(mask: Uint8Array, options: PositionWeights): Float64Array {
  const weightAt = weightOf(options);
  const tokens = mask.reduce((sum, one) => sum + one, 0);
  const weights = new Float64Array(mask.length);
  let place = 0;
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] !== 1) continue;
    place += 1;
    weights[token] = weightAt((place - 0.5) / tokens);
  }
  return weights;
}

function weightOf({ form, least, rise, width, slope }: PositionWeights): (share: number) => number {
  if (form === "linear") {
    if (slope >= 0 && slope <= 1) return (share) => 1 + slope * (2 * share - 1);
    throw new EngineError("bad-option", `The slope of position weights is ${slope}; it must be from 0 to 1.`);
  }
  if (!(least >= 0 && least <= 1)) {
    throw new EngineError("bad-option", `The least of position weights is ${least}; it must be from 0 to 1.`);
  }
  if (!(width > 0)) {
    throw new EngineError("bad-option", `The width of position weights is ${width}; it must be above 0.`);
  }
  return (share) => least + (1 - least) / (1 + Math.exp((rise - share) / width));
}
