/**
 * The coefficient of a divergence, steered towards a target.
 *
 *   coefficient *= 1 + clip(kl / target - 1, -0.2, 0.2) steps / horizon
 */
import { badOption } from "limbeck-base/base/options";
import { clip } from "./ratio.ts";

export interface AdaptiveKlOptions {
  readonly target: number;
  /** Steps over which the coefficient may change by 20%. */
  readonly horizon: number;
}

const MOST_ERROR = 0.2;

/**
 * The next coefficient, after `steps` steps with this mean divergence.
 *
 * @example
 * console.log(adaptKl(0.1, { kl: 0.11, steps: 100 }, { target: 0.1, horizon: 100 }).toFixed(3)); // 0.110
 */
export function adaptKl(
  coefficient: number,
  seen: { readonly kl: number; readonly steps: number },
  { target, horizon }: AdaptiveKlOptions,
): number {
  if (!(target > 0)) throw badOption("adaptKl", "target", target, "above 0");
  if (!(horizon > 0)) throw badOption("adaptKl", "horizon", horizon, "above 0");
  return coefficient * (1 + (clip(seen.kl / target - 1, -MOST_ERROR, MOST_ERROR) * seen.steps) / horizon);
}
