/** Shares and intervals as people read them. */
import type { Interval } from "../../base/index.ts";

/** 0.1234 → "12.3%"; a dash where there is none. */
export function percent(share: number): string {
  return Number.isNaN(share) ? "–" : `${(share * 100).toFixed(1)}%`;
}

/** "25.8% to 65.8%". */
export function range({ low, high }: Interval): string {
  return `${percent(low)} to ${percent(high)}`;
}

/** A difference of shares, in points: "+12.0". */
export function points(difference: number): string {
  if (Number.isNaN(difference)) return "–";
  const text = (difference * 100).toFixed(1);
  return difference > 0 ? `+${text}` : text;
}

/** A p-value: two digits, and no claim beyond one in ten thousand. */
export function chance(p: number): string {
  return p < 0.0001 ? "p < 0.0001" : `p = ${Number(p.toPrecision(2))}`;
}
