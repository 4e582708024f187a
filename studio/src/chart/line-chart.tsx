/** Lines over updates, with bands, as wide as there is room. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { measured, percent } from "../format/numbers.ts";
import { visibleLine } from "../text/visible-text.ts";
import { lastPoint, thinned, type Series } from "./series.ts";

export interface LineChartProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly unit?: string;
  readonly xLabel?: string;
  readonly height?: number;
  /** Names beside the lines are shown only where there is more than one. */
  readonly legend?: boolean;
}

export function LineChart(props: LineChartProps): JSX.Element {
  const { title, series, unit = "", xLabel = "update", height = 190, legend = series.length > 1 } = props;
  const share = unit === "share";
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [fault, setFault] = useState("");
  useEffect(() => {
    const element = box.current;
    if (element === null || width === 0) return undefined;
    let stale = false;
    import("./draw.ts").then(
      ({ drawLines }) => {
        if (stale) return;
        const thin = series.map((one) => ({ ...one, points: thinned(one.points) }));
        element.replaceChildren(drawLines({ series: thin, width, height, xLabel, share }));
      },
      () => setFault("The chart could not be loaded; reload the page."),
    );
    return () => {
      stale = true;
    };
  }, [series, width, height, unit, xLabel]);
  const value = (y: number): string => (share ? percent(y) : measured(y));
  return (
    <figure class="chart card">
      <figcaption>
        <h3>
          {visibleLine(title)}
          {unit !== "" && !share && <span class="soft unit"> {unit}</span>}
        </h3>
        <ul class="legend">
          {series.map((one) => (
            <li key={one.name}>
              {legend && <span class="swatch" style={{ background: `var(--c${one.colour % 8})` }} aria-hidden="true" />}
              {legend && <span class="clip">{visibleLine(one.name, 60)}</span>}
              <b>{value(lastPoint(one)?.y ?? Number.NaN)}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={box} class="canvas" style={{ height: `${height}px` }} aria-hidden="true" />
      {fault !== "" && <p class="soft">{fault}</p>}
    </figure>
  );
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
