/** What a chart of lines is made of. */
import type { CurvePoint } from "../../../src/serve/api.ts";

export interface Series {
  readonly name: string;
  /** Which of the eight colours of the theme. */
  readonly colour: number;
  readonly points: readonly CurvePoint[];
}

/** A chart of 10,000 points says no more than one of 400: neighbours are averaged, and their bands widened to hold all. */
export function thinned(points: readonly CurvePoint[], most = 400): readonly CurvePoint[] {
  if (points.length <= most) return points;
  const size = Math.ceil(points.length / most);
  const kept: CurvePoint[] = [];
  for (let start = 0; start < points.length; start += size) {
    const part = points.slice(start, start + size);
    const sum = part.reduce((total, { x, y }) => ({ x: total.x + x, y: total.y + y }), { x: 0, y: 0 });
    kept.push({
      x: sum.x / part.length,
      y: sum.y / part.length,
      low: Math.min(...part.map(({ y, low = y }) => low)),
      high: Math.max(...part.map(({ y, high = y }) => high)),
    });
  }
  return kept;
}

/** The latest value, for a caption and for readers that see no chart. */
export function lastPoint({ points }: Series): CurvePoint | undefined {
  return points.at(-1);
}
