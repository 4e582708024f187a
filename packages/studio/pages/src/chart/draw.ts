/** The charts themselves. This file is loaded when the first chart is drawn, because the library is half of the page. */
import {
  areaY,
  dot,
  gridY,
  lineY,
  plot,
  ruleX,
  ruleY,
  stackY,
  type Markish,
  type PlotOptions,
} from "@observablehq/plot";
import { tick } from "../format/numbers.ts";
import { smoothPoints, thinPoints, within, type Series, type Span } from "./series.ts";

export interface DrawOptions {
  readonly series: readonly Series[];
  readonly width: number;
  readonly height: number;
  readonly xLabel: string;
  readonly share: boolean;
  /** 0 is none. */
  readonly smooth: number;
  readonly log: boolean;
  readonly span: Span | undefined;
  /** Areas on top of each other, for parts of a whole. */
  readonly stacked: boolean;
}

export interface Drawn {
  readonly element: Element;
  /** From a value to its place in pixels, and back. */
  readonly x: { readonly apply: (value: number) => number; readonly invert: (place: number) => number };
  readonly y: { readonly apply: (value: number) => number };
  /** A scale of powers was asked for, and no value is above zero. */
  readonly notLog: boolean;
}

interface Row {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
  readonly name: string;
}

const FEW = 12;
export const MARGIN = { left: 48, right: 12, top: 14, bottom: 30 } as const;

export function drawLines(options: DrawOptions): Drawn {
  const { series, width, height, xLabel, share, span, stacked } = options;
  const lines = series.filter(({ marks = "line" }) => marks === "line");
  const shown = (one: Series, points = one.points): Row[] =>
    thinPoints(within(points, span)).map(({ x, y, low = y, high = y }) => ({ x, y, low, high, name: one.name }));
  const raw = lines.flatMap((one) => shown(one));
  const main = options.smooth > 0 ? lines.flatMap((one) => shown(one, smoothPoints(one.points, options.smooth))) : raw;
  const single = series.filter(({ marks }) => marks === "points").flatMap((one) => shown(one));
  const log = options.log && !stacked && [...main, ...single].some(({ y }) => y > 0);
  const positive = (rows: readonly Row[]): Row[] =>
    log ? rows.flatMap((row) => (row.y > 0 ? [{ ...row, low: row.low > 0 ? row.low : row.y }] : [])) : [...rows];
  const all = positive([...raw, ...main, ...single]);
  const drawn = plot({
    // Marks at the edge are drawn whole.
    inset: 5,
    width,
    height,
    className: "plot",
    marginLeft: MARGIN.left,
    marginRight: MARGIN.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    x: {
      label: xLabel,
      labelArrow: "none",
      ticks: wholeTicks(all, width, span),
      tickFormat: tick,
      ...(span === undefined ? {} : { domain: [...span] }),
    },
    y: {
      label: null,
      ticks: 4,
      ...(log ? { type: "log" } : { nice: true }),
      ...(share && !log ? { domain: [0, 1] } : {}),
      tickFormat: tick,
    },
    marks: [
      gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 4 }),
      ...(all.some(({ low }) => low < 0) ? [ruleY([0], { stroke: "var(--soft)", strokeOpacity: 0.5 })] : []),
      ...marksOf({ raw: positive(raw), main: positive(main), single: positive(single) }, options),
    ],
  } satisfies PlotOptions);
  // The strict content policy forbids style elements; the sheet of the page says the same.
  for (const style of drawn.querySelectorAll("style")) style.remove();
  const [x, y] = [drawn.scale("x"), drawn.scale("y")];
  return {
    element: drawn,
    x: {
      apply: (value) => Number(x?.apply(value) ?? 0),
      invert: (place) => Number(x?.invert?.(place) ?? 0),
    },
    y: { apply: (value) => Number(y?.apply(value) ?? 0) },
    notLog: options.log && !log,
  };
}

function marksOf(
  rows: { readonly raw: readonly Row[]; readonly main: readonly Row[]; readonly single: readonly Row[] },
  { series, smooth, stacked }: DrawOptions,
): Markish[] {
  const { raw, main, single } = rows;
  const colours = new Map(series.map(({ name, colour }) => [name, `var(--c${colour % 8})`]));
  const stroke = (row: Row): string => colours.get(row.name) ?? "var(--c0)";
  const place = { x: "x", y: "y", clip: true } as const;
  if (stacked) {
    const order = series.map(({ name }) => name);
    return [areaY(main, stackY({ order }, { ...place, z: "name", fill: stroke, fillOpacity: 0.55 }))];
  }
  const banded = new Set(raw.filter(({ low, high }) => low !== high).map(({ name }) => name));
  const few = main.length <= FEW * Math.max(1, series.length);
  const line = { ...place, z: "name", stroke, strokeLinejoin: "round" } as const;
  return [
    areaY(
      raw.filter(({ name }) => banded.has(name)),
      { x: "x", y1: "low", y2: "high", z: "name", fill: stroke, fillOpacity: smooth > 0 ? 0.07 : 0.14, clip: true },
    ),
    ...(smooth > 0 ? [lineY(raw, { ...line, strokeWidth: 1, strokeOpacity: 0.3 })] : []),
    lineY(main, { ...line, strokeWidth: 2 }),
    ...(few ? [dot(main, { ...place, fill: stroke, r: 2.75 })] : []),
    ruleX(single, { x: "x", y1: "low", y2: "high", stroke, strokeWidth: 1.5, strokeOpacity: 0.55, clip: true }),
    dot(single, { ...place, fill: stroke, stroke: "var(--card)", strokeWidth: 1, r: 4 }),
  ];
}

/** Updates are counted, so few of them get a mark each and never one between two. */
function wholeTicks(rows: readonly Row[], width: number, span: Span | undefined): number[] | number {
  const most = Math.max(2, Math.min(10, Math.floor(width / 60)));
  if (rows.length === 0) return most;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x } of rows) [first, last] = [Math.min(first, x), Math.max(last, x)];
  if (span !== undefined) [first, last] = [Math.ceil(span[0]), Math.floor(span[1])];
  if (last - first > most || !rows.every(({ x }) => Number.isInteger(x))) return most;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}
