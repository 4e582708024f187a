/** Two arms that learn at different speeds, compared where both have come equally far. */
import { mean } from "../../packages/base/src/base/statistics/summary.ts";

/** After some updates: how far the new is learned, higher is better, and what is left of the old. */
export interface Point {
  readonly updates: number;
  readonly fit: number;
  readonly kept: Readonly<Record<string, number>>;
}

/** The first place of a curve where this fit is reached, between two points; undefined where it never is. */
export function keptAt(points: readonly Point[], fit: number, what: string): number | undefined {
  for (const [at, point] of points.entries()) {
    if (point.fit < fit) continue;
    const before = points[at - 1];
    const own = point.kept[what] as number;
    if (before === undefined || point.fit === before.fit) return own;
    const share = (fit - before.fit) / (point.fit - before.fit);
    const earlier = before.kept[what] as number;
    return earlier + share * (own - earlier);
  }
  return undefined;
}

/** The fit that every one of these curves reaches. */
export function commonFit(curves: readonly (readonly Point[])[]): number {
  return Math.min(...curves.map((points) => Math.max(...points.map(({ fit }) => fit))));
}

/** Student's t at 95% for so many pairs. */
const T95 = [Number.NaN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

/** Mean of paired differences with its 95% interval, in words. */
export function differenceWords(differences: readonly number[]): string {
  const centre = mean(differences);
  const count = differences.length;
  if (count < 2) return `${signed(centre)} (one seed)`;
  const variance = differences.reduce((sum, one) => sum + (one - centre) ** 2, 0) / (count - 1);
  const half = (T95[count - 1] ?? 1.96) * Math.sqrt(variance / count);
  return `${signed(centre)} [${signed(centre - half)}, ${signed(centre + half)}], ${count} seeds`;
}

export const signed = (value: number): string => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`;
