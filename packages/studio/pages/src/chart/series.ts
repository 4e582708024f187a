/** What a chart of lines is made of. */
import type { CurvePoint } from "../../../src/serve/api.ts";

export interface Series {
  readonly name: string;
  /** Which of the eight colours of the theme. */
  readonly colour: number;
  readonly points: readonly CurvePoint[];
  /** "points" is measured now and then: marks with their intervals, and no line that claims more. Default: "line". */
  readonly marks?: "line" | "points";
}

/** From and to, both included. */
export type Span = readonly [number, number];

/** A chart of 10,000 points says no more than one of 400: neighbours are averaged, and their bands widened to hold all. */
export function thinPoints(points: readonly CurvePoint[], most = 400): readonly CurvePoint[] {
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

/**
 * A running mean in which each older value counts `weight` times the one after it. Divided by the sum of the weights, so
 * that the first values are not drawn towards zero.
 */
export function smoothPoints(points: readonly CurvePoint[], weight: number): readonly CurvePoint[] {
  if (weight <= 0) return points;
  let [sum, total] = [0, 0];
  return points.map(({ x, y }) => {
    sum = weight * sum + y;
    total = weight * total + 1;
    return { x, y: sum / total };
  });
}

/** The points of a span and one beside it on each side, so that lines reach the edges. */
export function within(points: readonly CurvePoint[], span: Span | undefined): readonly CurvePoint[] {
  if (span === undefined) return points;
  const first = firstFrom(points, span[0]);
  let end = firstFrom(points, span[1]);
  while (end < points.length && (points[end] as CurvePoint).x <= span[1]) end += 1;
  return points.slice(Math.max(0, first - 1), end + 1);
}

/** The x of the point that stands nearest to a place, over all series; undefined where nothing is drawn. */
export function nearestX(series: readonly Series[], place: number, span?: Span): number | undefined {
  let best: number | undefined;
  for (const { points } of series) {
    const at = firstFrom(points, place);
    for (const point of [points[at - 1], points[at]]) {
      if (point === undefined || (span !== undefined && (point.x < span[0] || point.x > span[1]))) continue;
      if (best === undefined || Math.abs(point.x - place) < Math.abs(best - place)) best = point.x;
    }
  }
  return best;
}

/** The next x before or after one, over all series. */
export function neighbourX(series: readonly Series[], place: number, side: -1 | 1, span?: Span): number | undefined {
  const near = series.flatMap(({ points }) => {
    const at = firstFrom(points, place);
    const next = side < 0 ? points[at - 1] : points[points[at]?.x === place ? at + 1 : at];
    return next === undefined || (span !== undefined && (next.x < span[0] || next.x > span[1])) ? [] : [next.x];
  });
  if (near.length === 0) return undefined;
  return side < 0 ? Math.max(...near) : Math.min(...near);
}

/** The point of a series at this x, where it has one. */
export function pointAt(points: readonly CurvePoint[], x: number): CurvePoint | undefined {
  const found = points[firstFrom(points, x)];
  return found?.x === x ? found : undefined;
}

/** From the first to the last x of all series. */
export function wholeSpan(series: readonly Series[]): Span | undefined {
  const ends = series.flatMap(({ points }) => {
    const [first, last] = [points[0], points.at(-1)];
    return first === undefined || last === undefined ? [] : [first.x, last.x];
  });
  return ends.length === 0 ? undefined : [Math.min(...ends), Math.max(...ends)];
}

/** The latest value, for a caption and for readers that see no chart. */
export function lastPoint({ points }: Series): CurvePoint | undefined {
  return points.at(-1);
}

/** Points are in the order of their x. */
function firstFrom(points: readonly CurvePoint[], x: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle] as CurvePoint).x < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
