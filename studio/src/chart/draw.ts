/** The charts themselves. This file is loaded when the first chart is drawn, because the library is half of the page. */
import { areaY, dot, gridY, lineY, plot, ruleY, type PlotOptions } from "@observablehq/plot";
import type { Series } from "./series.ts";

export interface DrawOptions {
  readonly series: readonly Series[];
  readonly width: number;
  readonly height: number;
  readonly xLabel: string;
  readonly share: boolean;
}

interface Row {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
  readonly name: string;
}

const FEW = 12;
const SHORT = new Intl.NumberFormat("en-GB", { notation: "compact" });

export function drawLines({ series, width, height, xLabel, share }: DrawOptions): Element {
  const rows: Row[] = series.flatMap(({ name, points }) =>
    points.map(({ x, y, low = y, high = y }) => ({ x, y, low, high, name })),
  );
  const banded = new Set(rows.filter(({ low, high }) => low !== high).map(({ name }) => name));
  const colours = new Map(series.map(({ name, colour }) => [name, `var(--c${colour % 8})`]));
  const stroke = (row: Row): string => colours.get(row.name) ?? "var(--c0)";
  const few = rows.length <= FEW * Math.max(1, series.length);
  const options: PlotOptions = {
    width,
    height,
    className: "plot",
    marginLeft: 44,
    marginRight: 12,
    marginTop: 14,
    marginBottom: 30,
    x: {
      label: xLabel,
      labelArrow: "none",
      ticks: wholeTicks(rows, width),
      tickFormat: (x: number) => SHORT.format(x),
    },
    y: {
      label: null,
      ticks: 4,
      ...(share ? { domain: [0, 1], tickFormat: "~%" } : { tickFormat: "~g", nice: true }),
    },
    marks: [
      gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 4 }),
      ...(rows.some(({ low }) => low < 0) ? [ruleY([0], { stroke: "var(--soft)", strokeOpacity: 0.5 })] : []),
      areaY(
        rows.filter(({ name }) => banded.has(name)),
        { x: "x", y1: "low", y2: "high", z: "name", fill: stroke, fillOpacity: 0.14 },
      ),
      lineY(rows, { x: "x", y: "y", z: "name", stroke, strokeWidth: 2, strokeLinejoin: "round" }),
      ...(few ? [dot(rows, { x: "x", y: "y", fill: stroke, r: 2.75 })] : []),
    ],
  };
  const drawn = plot(options);
  // The strict content policy forbids style elements; the sheet of the page says the same.
  for (const style of drawn.querySelectorAll("style")) style.remove();
  return drawn;
}

/** Updates are counted, so few of them get a mark each and never one between two. */
function wholeTicks(rows: readonly Row[], width: number): number[] | number {
  const most = Math.max(2, Math.min(10, Math.floor(width / 60)));
  const [first, last] = [Math.min(...rows.map(({ x }) => x)), Math.max(...rows.map(({ x }) => x))];
  if (rows.length === 0 || last - first > most || !rows.every(({ x }) => Number.isInteger(x))) return most;
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
