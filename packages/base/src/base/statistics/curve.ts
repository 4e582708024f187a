/** Learning curves: a height over an axis (environment steps, tokens, seconds), one curve for each seed. */
import { EngineError } from "../errors.ts";
import { expandedTail, type BootstrapOptions } from "./bootstrap.ts";
import { tailOf } from "./interval.ts";
import { mean, sortedQuantile } from "./summary.ts";

export interface CurvePoint {
  readonly x: number;
  readonly y: number;
}

/** Points in rising order of x. */
export type Curve = readonly CurvePoint[];

/** "step" keeps the last value until the next point; "linear" draws a line to it. */
export type Interpolation = "step" | "linear";

/** Height at x; beyond the last point that point's height, before the first one undefined. */
export function heightAt(curve: Curve, x: number, interpolation: Interpolation = "step"): number | undefined {
  checkCurve(curve);
  return heightOf(curve, x, interpolation);
}

/** Of a curve that has been checked: its points rise, so that the place can be found by halves. */
function heightOf(curve: Curve, x: number, interpolation: Interpolation = "step"): number | undefined {
  let [after, end] = [0, curve.length];
  while (after < end) {
    const middle = (after + end) >> 1;
    if ((curve[middle] as CurvePoint).x > x) end = middle;
    else after = middle + 1;
  }
  if (after === 0) return undefined;
  const [left, right] = [curve[after - 1], curve[after]];
  if (left === undefined || right === undefined || interpolation === "step") return left?.y;
  return left.y + ((right.y - left.y) * (x - left.x)) / (right.x - left.x);
}

export interface AlignedCurves {
  readonly grid: readonly number[];
  /** One row for each curve: its heights on the grid. */
  readonly rows: readonly (readonly number[])[];
}

/**
 * The curves on one grid: unless one is given, every x that any of them has where all of them have begun and none has
 * ended. A grid point before the start of a curve is refused: a curve has no height there.
 *
 * @example
 * const curves = [[{ x: 0, y: 0 }, { x: 2, y: 1 }], [{ x: 0, y: 0 }, { x: 1, y: 0.5 }, { x: 2, y: 0.5 }]];
 * console.log(alignCurves(curves)); // { grid: [ 0, 1, 2 ], rows: [ [ 0, 0, 1 ], [ 0, 0.5, 0.5 ] ] }
 */
export function alignCurves(
  curves: readonly Curve[],
  options: { readonly grid?: readonly number[]; readonly interpolation?: Interpolation } = {},
): AlignedCurves {
  const grid = options.grid ?? commonGrid(curves);
  const rows = curves.map((curve, index) => {
    checkCurve(curve);
    return grid.map((x) => {
      const height = heightOf(curve, x, options.interpolation);
      if (height !== undefined) return height;
      throw new EngineError("bad-sample", `Curve ${index} begins at ${curve[0]?.x}; the grid asks for ${x}.`);
    });
  });
  return { grid, rows };
}

function commonGrid(curves: readonly Curve[]): number[] {
  curves.forEach(checkCurve);
  const from = Math.max(...curves.map((curve) => curve[0]?.x ?? Number.NaN));
  const to = Math.min(...curves.map((curve) => curve.at(-1)?.x ?? Number.NaN));
  const all = new Set(curves.flatMap((curve) => curve.map(({ x }) => x)));
  return [...all].filter((x) => x >= from && x <= to).sort((a, b) => a - b);
}

/**
 * Mean height between two places: the area by trapezoids (by rectangles for "step"), divided by the width, so that a
 * success curve gives a number between 0 and 1. Beyond its last point a curve goes on level.
 *
 * @example
 * console.log(areaUnder([{ x: 0, y: 0 }, { x: 10, y: 1 }], { interpolation: "linear" })); // 0.5
 */
export function areaUnder(
  curve: Curve,
  options: { readonly from?: number; readonly to?: number; readonly interpolation?: Interpolation } = {},
): number {
  checkCurve(curve);
  const { interpolation = "linear" } = options;
  const [from, to] = [options.from ?? (curve[0]?.x as number), options.to ?? (curve.at(-1)?.x as number)];
  const [first, last] = [heightAt(curve, from, interpolation), heightAt(curve, to, interpolation)];
  if (first === undefined || last === undefined || to < from) {
    throw new EngineError("bad-sample", `A curve from ${curve[0]?.x} on has no area from ${from} to ${to}.`);
  }
  if (from === to) return first;
  const inside = [{ x: from, y: first }, ...curve.filter(({ x }) => x > from && x < to), { x: to, y: last }];
  const area = inside.slice(1).reduce((total, right, index) => {
    const left = inside[index] as CurvePoint;
    return total + (right.x - left.x) * (interpolation === "step" ? left.y : (left.y + right.y) / 2);
  }, 0);
  return area / (to - from);
}

/**
 * The first x whose height is at least y and stays there for `hold` points (default: 1); null if there is none.
 *
 * @example
 * console.log(xToReach([{ x: 0, y: 0.1 }, { x: 5, y: 0.6 }, { x: 9, y: 0.9 }], 0.5)); // 5
 */
export function xToReach(curve: Curve, y: number, options: { readonly hold?: number } = {}): number | null {
  const { hold = 1 } = options;
  const at = curve.findIndex((_, index) => {
    const points = curve.slice(index, index + hold);
    return points.length === hold && points.every((point) => point.y >= y);
  });
  return curve[at]?.x ?? null;
}

/**
 * Median of what was needed where some never got there: null counts as more than anything. Null if it is among those.
 *
 * @example
 * console.log(censoredMedian([40, null, 60]), censoredMedian([40, null, null])); // 60 null
 */
export function censoredMedian(needed: readonly (number | null)[]): number | null {
  const sorted = needed.map((value) => value ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined || high === Number.POSITIVE_INFINITY ? null : (low + high) / 2;
}

export interface Band {
  readonly mean: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/**
 * Band of the mean curve, point by point: whole curves are drawn again, so that what one seed's points share stays
 * together. Quantiles as in "expanded"; with three seeds or fewer that is the range of the curves. With one it is a line.
 *
 * @example
 * const { low, high } = bootstrapBand([[0, 0.4], [0, 0.8]], { rng: createRng(1) });
 * console.log(low, high); // [ 0, 0.4 ] [ 0, 0.8 ]
 */
export function bootstrapBand(rows: readonly (readonly number[])[], options: Omit<BootstrapOptions, "method">): Band {
  const { rng, resamples = 1_000 } = options;
  const tail = expandedTail(tailOf(options.confidence ?? 0.95), rows.length);
  const sums = Array.from({ length: rows[0]?.length ?? 0 }, () => new Float64Array(resamples));
  for (let round = 0; round < resamples; round += 1) {
    for (let draw = 0; draw < rows.length; draw += 1) {
      const row = rows[rng.int(rows.length)] as readonly number[];
      sums.forEach((column, at) => {
        column[round] = (column[round] as number) + (row[at] as number);
      });
    }
  }
  for (const column of sums) column.sort();
  const at = (q: number): number[] => sums.map((column) => sortedQuantile(column, q) / rows.length);
  return {
    mean: sums.map((_, column) => mean(rows.map((row) => row[column] as number))),
    low: at(tail),
    high: at(1 - tail),
  };
}

function checkCurve(curve: Curve): void {
  const wrong = curve.findIndex((point, index) => index > 0 && !(point.x >= (curve[index - 1] as CurvePoint).x));
  if (curve.length > 0 && wrong === -1) return;
  const what = curve.length === 0 ? "has no points" : `goes back at point ${wrong} (x = ${curve[wrong]?.x})`;
  throw new EngineError("bad-sample", `The curve ${what}; it needs at least one point, in rising order of x.`);
}
