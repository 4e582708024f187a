/** Stacked bars as SVG. */
import { sum } from "../../base/index.ts";
import { axes, figure } from "./chart.ts";
import { markup, type Html } from "./html.ts";
import { short } from "./numbers.ts";

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
      return markup`<rect class="p${layer}" x="${tenth(place.x(x) - width / 2)}" y="${top}" width="${tenth(width)}" height="${tenth(height)}"><title>${short(x)}, ${label}: ${short(value)} s</title></rect>`;
    });
  });
  return figure(options, markup`${frame}${bars}`);
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
