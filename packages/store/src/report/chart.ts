/** Small line charts as SVG: axes with round ticks, bands for intervals, a legend that needs no colour. */
import { markup, type Html } from "./html.ts";
import { shortNumber } from "./numbers.ts";
import { sum } from "limbeck-base/base/statistics/summary";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Range {
  readonly x: number;
  readonly low: number;
  readonly high: number;
}

export interface Series {
  readonly label: string;
  readonly points: readonly Point[];
  /** Intervals, drawn behind: as a band where the points are joined, as whiskers where they are not. */
  readonly intervals?: readonly Range[];
  /** Default: A line; "dots" are single measurements that nothing joins. */
  readonly marks?: "line" | "dots" | "line and dots";
  /** Which of the colours and dashes; runs that are compared have different ones. */
  readonly style: number;
  /** Drawn as background. */
  readonly faint?: boolean;
}

export interface ChartOptions {
  readonly title: string;
  /** What the numbers are, below the title. */
  readonly note?: string;
  readonly xLabel: string;
  readonly width?: number;
  readonly height?: number;
  /** For narrow or wide screens only. Default: for all. */
  readonly screens?: "narrow" | "wide";
  /** Fixed range of y. Default: what the data need. */
  readonly range?: readonly [number, number];
  /** Fixed range of x; charts of one run are read together. */
  readonly span?: readonly [number, number];
  readonly format?: (value: number) => string;
  /** Whether lines are named below. Default: yes, where there are several. */
  readonly legend?: boolean;
}

/** Colours repeat after this many lines, each time with other dashes. */
const STYLES = 4;
const DASHES = ["none", "7 4", "2 3", "10 3 2 3"];
/** Between measurements that stand side by side. */
const BESIDE = 12;
const MARGIN = { left: 48, right: 14, top: 12, bottom: 36 };

export interface ChartScales {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

export function lineChart(series: readonly Series[], options: ChartOptions): Html {
  const drawn = series.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return markup`<p class="none">${options.title}: nothing was recorded.</p>`;
  const xs = drawn.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = drawn.flatMap(({ points, intervals = [] }) => [
    ...points.map(({ y }) => y),
    ...intervals.flatMap(({ low, high }) => [low, high]),
  ]);
  const { frame, place: plain } = axes(options.span ?? extent(xs), options.range ?? extent(ys), options);
  // Single measurements of several runs at the same x would hide each other: they stand side by side, inwards.
  const middle = sizeOf(options).width / 2;
  const placeOf = ({ marks, style }: Series): ChartScales =>
    marks === "dots"
      ? { ...plain, x: (value) => plain.x(value) + (plain.x(value) < middle ? 1 : -1) * BESIDE * (style % STYLES) }
      : plain;
  const legend =
    drawn.length > 1 && options.legend !== false
      ? markup`<p class="legend">${drawn.map((one) => legendOf(one))}</p>`
      : undefined;
  return figure(
    options,
    markup`${frame}${drawn.map((one) => intervalsOf(one, placeOf(one)))}${drawn.map((one) => marksOf(one, placeOf(one)))}`,
    legend,
  );
}

/** A drawing with its title above and its legend below. */
export function figure({ title, note, screens, ...options }: ChartOptions, drawing: Html, legend?: Html): Html {
  const { width, height } = sizeOf(options);
  const caption = markup`<figcaption><b>${title}</b>${note === undefined ? undefined : markup` <span>${note}</span>`}</figcaption>`;
  return markup`<figure class="chart${screens === undefined ? "" : ` ${screens}`}">${caption}<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${drawing}</svg>${legend}</figure>`;
}

/** Grid, ticks and labels, and where a value lies among them. */
export function axes(
  [left, right]: readonly [number, number],
  [bottom, top]: readonly [number, number],
  { format = shortNumber, xLabel, ...options }: ChartOptions,
): { readonly frame: Html; readonly place: ChartScales } {
  const { width, height } = sizeOf(options);
  const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const x = (value: number): number => round(MARGIN.left + ((value - left) / (right - left)) * inner.width);
  const y = (value: number): number =>
    round(height - MARGIN.bottom - ((value - bottom) / (top - bottom)) * inner.height);
  const rows = ticks(bottom, top, Math.max(2, Math.round(height / 50))).map(
    (tick) =>
      markup`<line class="grid" x1="${MARGIN.left}" x2="${width - MARGIN.right}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${MARGIN.left - 7}" y="${y(tick)}" dy=".35em" text-anchor="end">${format(tick)}</text>`,
  );
  const columns = ticks(left, right, Math.max(2, Math.round(width / 110)))
    .filter((tick) => Number.isInteger(tick))
    .map(
      (tick) =>
        markup`<text x="${x(tick)}" y="${height - MARGIN.bottom + 18}" text-anchor="middle">${shortNumber(tick)}</text>`,
    );
  const label = markup`<text x="${width - MARGIN.right}" y="${height - 3}" text-anchor="end">${xLabel}</text>`;
  return { frame: markup`${rows}${columns}${label}`, place: { x, y } };
}

function sizeOf({ width = 720, height = 280 }: Partial<ChartOptions>): {
  readonly width: number;
  readonly height: number;
} {
  return { width, height };
}

function intervalsOf({ intervals = [], style, marks = "line" }: Series, { x, y }: ChartScales): Html {
  if (marks === "dots" || intervals.length < 2) {
    return markup`${intervals.map(({ x: at, low, high }) => markup`<line class="whisker s${style % STYLES}" x1="${x(at)}" x2="${x(at)}" y1="${y(low)}" y2="${y(high)}"/>`)}`;
  }
  const upper = intervals.map(({ x: at, high }) => `${x(at)},${y(high)}`);
  const lower = intervals.toReversed().map(({ x: at, low }) => `${x(at)},${y(low)}`);
  return markup`<polygon class="band s${style % STYLES}" points="${[...upper, ...lower].join(" ")}"/>`;
}

function marksOf({ points, marks = "line", style, faint = false }: Series, { x, y }: ChartScales): Html {
  const path = points.map((point) => `${x(point.x)},${y(point.y)}`).join(" ");
  // A line through one point is nothing to see.
  const dots = marks !== "line" || points.length === 1;
  return markup`${marks === "dots" ? undefined : markup`<polyline ${look(style, faint)} points="${path}"/>`}${dots ? points.map((point) => markup`<circle class="dot s${style % STYLES}" cx="${x(point.x)}" cy="${y(point.y)}" r="${marks === "dots" ? 5 : 3.5}"><title>${shortNumber(point.x)}: ${shortNumber(point.y)}</title></circle>`) : undefined}`;
}

function legendOf({ label, style, marks = "line", faint = false }: Series): Html {
  const line = marks === "dots" ? undefined : markup`<line ${look(style, faint)} x1="1" x2="29" y1="6" y2="6"/>`;
  const dot =
    marks === "line"
      ? undefined
      : markup`<circle class="dot s${style % STYLES}" cx="15" cy="6" r="${marks === "dots" ? 5 : 3.5}"/>`;
  return markup`<span class="key"><svg viewBox="0 0 30 12" width="30" height="12" aria-hidden="true">${line}${dot}</svg>${label}</span>`;
}

function look(style: number, faint: boolean): Html {
  return markup`class="line s${style % STYLES}${faint ? " faint" : ""}" stroke-dasharray="${DASHES[(style + Math.floor(style / STYLES)) % DASHES.length] ?? "none"}"`;
}

/** Least and largest value, with room where they are the same. */
function extent(values: readonly number[]): readonly [number, number] {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  if (high > low) return [low, high];
  const room = Math.abs(low) > 0 ? Math.abs(low) * 0.1 : 1;
  return [low - room, high + room];
}

/** Round numbers between two values, about so many: steps of 1, 2 or 5 times a power of ten. */
export function ticks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

// Stacked bars as SVG.

export interface BarOptions {
  readonly title: string;
  readonly xLabel: string;
  /** Where the bars stand, in order. */
  readonly at: readonly number[];
  /** From the bottom up; one value for each bar. */
  readonly layers: readonly { readonly label: string; readonly values: readonly number[] }[];
}

export function stackedBars({ title, xLabel, at, layers }: BarOptions): Html {
  const options = { title, xLabel, width: 520, height: 240 };
  const heights = at.map((_, bar) => sum(layers.map(({ values }) => values[bar] ?? 0)));
  const highest = heights.reduce((most, height) => Math.max(most, height), 0) || 1;
  const [first, last] = [at[0] ?? 0, at.at(-1) ?? 0];
  const { frame, place } = axes([first - 0.5, last + 0.5], [0, highest], options);
  const width = Math.max(1, (place.x(first + 1) - place.x(first)) * 0.78);
  const bars = at.flatMap((x, bar) => {
    let below = 0;
    return layers.map(({ label, values }, layer) => {
      const value = values[bar] ?? 0;
      const top = place.y(below + value);
      const height = place.y(below) - top;
      below += value;
      return markup`<rect class="p${layer}" x="${round(place.x(x) - width / 2)}" y="${top}" width="${round(width)}" height="${round(height)}"><title>${shortNumber(x)}, ${label}: ${shortNumber(value)} s</title></rect>`;
    });
  });
  return figure(options, markup`${frame}${bars}`);
}
