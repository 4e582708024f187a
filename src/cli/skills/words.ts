/** How differences are written. */
import type { Interval } from "../../base/index.ts";

export function withSign(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`;
}

export interface Estimate extends Interval {
  readonly value: number;
}

export function withInterval({ value, low, high }: Estimate): string {
  return `${withSign(value)} (${withSign(low)} to ${withSign(high)})`;
}
