/** How differences are written. */
import type { Interval } from "limbeck-base/base/statistics/interval";
import { withSign } from "limbeck-core/skill/install/facts";

export interface Estimate extends Interval {
  readonly value: number;
}

export function withInterval({ value, low, high }: Estimate): string {
  return `${withSign(value)} (${withSign(low)} to ${withSign(high)})`;
}
