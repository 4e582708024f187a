/** Small line charts as SVG: axes with round ticks, bands for intervals, a legend that needs no colour. */
import { markup, type Html } from "./html.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Series {
  readonly label: string;
  readonly points: readonly Point[];
  /** Low and high at some x, drawn behind the line. */
  readonly band?: readonly { readonly x: number; readonly low: number; readonly high: number }[];
  /** Dots at the points, for few measurements; otherwise a line. */
  readonly dots?: boolean;
  /** Which of the colours and dashes; runs that are compared have different ones. */
  readonly style: number;
  /** Drawn faintly, as background. */
  readonly faint?: boolean;
}

export interface ChartOptions {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly width?: number;
  readonly height?: number;
  /** Fixed range of y; what the data need unless told. */
  readonly range?: readonly [number, number];
}

const DASHES = ["", "6 4", "2 3", "9 3 2 3"];
const MARGIN = { left: 46, right: 12, top: 10, bottom: 34 };

export function lineChart(series: readonly Series[], options: ChartOptions): Html {
  const { width = 680, height = 260, title, xLabel, yLabel } = options;
  const drawn = series.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return markup`<p class="none">${title}: nothing was recorded.</p>`;
  const xs = drawn.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = drawn.flatMap(({ points, band = [] }) => [
    ...points.map(({ y }) => y),
    ...band.flatMap(({ low, high }) => [low, high]),
  ]);
  const [left, right] = extent(xs);
  const [bottom, top] = options.range ?? extent(ys);
  const x = (value: number): number =>
    round(MARGIN.left + ((value - left) / (right - left)) * (width - MARGIN.left - MARGIN.right));
  const y = (value: number): number =>
    round(height - MARGIN.bottom - ((value - bottom) / (top - bottom)) * (height - MARGIN.top - MARGIN.bottom));
  const place: Place = { x, y };
  const xTicks = ticks(left, right, Math.max(2, Math.round(width / 110)));
  const yTicks = ticks(bottom, top, Math.max(2, Math.round(height / 60)));
  return markup`<figure class="chart">
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
      ${yTicks.map((tick) => markup`<line class="grid" x1="${MARGIN.left}" x2="${width - MARGIN.right}" y1="${y(tick)}" y2="${y(tick)}" /><text class="tick" x="${MARGIN.left - 6}" y="${y(tick) + 4}" text-anchor="end">${short(tick)}</text>`)}
      ${xTicks.map((tick) => markup`<text class="tick" x="${x(tick)}" y="${height - MARGIN.bottom + 16}" text-anchor="middle">${short(tick)}</text>`)}
      <text class="axis" x="${(MARGIN.left + width - MARGIN.right) / 2}" y="${height - 4}" text-anchor="middle">
        ${xLabel}
      </text>
      ${drawn.map((one) => bandOf(one, place))}${drawn.map((one) => lineOf(one, place))}
    </svg>
    <figcaption>
      <b>${title}</b>
      ${yLabel}${drawn.length > 1 ? markup`<span class="legend">${drawn.map((one) => legendOf(one))}</span>` : undefined}
    </figcaption>
  </figure>`;
}

interface Place {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

function bandOf({ band = [], style }: Series, { x, y }: Place): Html {
  if (band.length < 2) {
    return markup`${band.map(({ x: at, low, high }) => markup`<line class="whisker s${style}" x1="${x(at)}" x2="${x(at)}" y1="${y(low)}" y2="${y(high)}" />`)}`;
  }
  const upper = band.map(({ x: at, high }) => `${x(at)},${y(high)}`);
  const lower = band.toReversed().map(({ x: at, low }) => `${x(at)},${y(low)}`);
  return markup`<polygon class="band s${style}" points="${[...upper, ...lower].join(" ")}" />`;
}

function lineOf({ points, dots = false, style, faint = false }: Series, { x, y }: Place): Html {
  const path = points.map((point) => `${x(point.x)},${y(point.y)}`).join(" ");
  const marks = dots
    ? points.map(
        (point) =>
          markup`<circle class="dot s${style}" cx="${x(point.x)}" cy="${y(point.y)}" r="3.5"
            ><title>${short(point.x)}: ${short(point.y)}</title></circle
          >`,
      )
    : [];
  const dash = DASHES[style % DASHES.length] ?? "";
  return markup`<polyline
      class="line s${style}${faint ? " faint" : ""}"
      points="${path}"
      stroke-dasharray="${dash}"
    />${marks}`;
}

function legendOf({ label, style, dots = false, faint = false }: Series): Html {
  const dash = DASHES[style % DASHES.length] ?? "";
  return markup`<span class="key"
    ><svg viewBox="0 0 26 10" width="26" height="10" aria-hidden="true">
      <line class="line s${style}${faint ? " faint" : ""}" x1="0" x2="26" y1="5" y2="5" stroke-dasharray="${dash}" />
      ${dots ? markup`<circle class="dot s${style}" cx="13" cy="5" r="3.5" />` : undefined}</svg
    >${label}</span
  >`;
}

/** Least and largest value, with room where they are the same. */
function extent(values: readonly number[]): readonly [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
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

export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 100_000)) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
