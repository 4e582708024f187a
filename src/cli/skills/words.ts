/** How differences are written. */
import type { Interval } from "../../base/index.ts";

export function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`;
}

export interface Estimate extends Interval {
  readonly value: number;
}

export function withInterval({ value, low, high }: Estimate): string {
  return `${signed(value)} (${signed(low)} to ${signed(high)})`;
}
