/** How differences are written. */
import type { Interval } from "../../base/statistics/interval.ts";
import { withSign } from "../../skill/install/facts.ts";

export interface Estimate extends Interval {
  readonly value: number;
}

export function withInterval({ value, low, high }: Estimate): string {
  return `${withSign(value)} (${withSign(low)} to ${withSign(high)})`;
}
