/** Lines over updates, with bands, as wide as there is room: pointed at, zoomed into, switched on and off. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { curveValue, rate } from "../format/numbers.ts";
import { visibleLine } from "../text/visible-text.ts";
import { useChartView } from "./chart-view.ts";
import type { Drawn } from "./draw.ts";
import { Pointer, type Scales } from "./pointer.tsx";
import { lastPoint, type Series } from "./series.ts";

export interface LineChartProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly unit?: string;
  readonly xLabel?: string;
  readonly height?: number;
  /** Names beside the lines are shown only where there is more than one. */
  readonly legend?: boolean;
  /** The name under which the store has it, and what it says, in a sentence. */
  readonly metric?: string;
  readonly meaning?: string;
  /** Parts of a whole, on top of each other. */
  readonly stacked?: boolean;
}

export function LineChart(props: LineChartProps): JSX.Element {
  const { title, series, unit = "", xLabel = "update", height = 190, legend = series.length > 1 } = props;
  const share = unit === "share";
  const view = useChartView();
  const shown = useMemo(() => series.filter(({ name }) => !view.hidden.has(name)), [series, view.hidden]);
  const { box, drawn, fault } = useDrawing({ ...props, series: shown, xLabel, height, share, view });
  const value = (y: number): string => (share ? rate(y) : curveValue(y));
  const toggle = (name: string): void => {
    const hidden = new Set(view.hidden);
    if (!hidden.delete(name)) hidden.add(name);
    view.change({ hidden });
  };
  return (
    <figure class="chart card">
      <figcaption>
        <div class="row chart-title">
          <h3>
            {visibleLine(title)}
            {unit !== "" && !share && <span class="soft unit"> {unit}</span>}
          </h3>
          {(props.metric ?? props.meaning) !== undefined && (
            <About title={title} metric={props.metric} meaning={props.meaning} />
          )}
        </div>
        <ul class="legend">
          {series.map((one) => (
            <li key={one.name}>
              {legend ? (
                <button
                  type="button"
                  class="legend-entry"
                  aria-pressed={!view.hidden.has(one.name)}
                  title={`${visibleLine(one.name)}: click to hide or show`}
                  onClick={() => toggle(one.name)}
                >
                  <span class="swatch" style={{ background: `var(--c${one.colour % 8})` }} aria-hidden="true" />
                  <span class="clip">{visibleLine(one.name, 60)}</span>
                  <b>{value(lastPoint(one)?.y ?? Number.NaN)}</b>
                </button>
              ) : (
                <b>{value(lastPoint(one)?.y ?? Number.NaN)}</b>
              )}
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="canvas" style={{ height: `${height}px` }}>
        <div ref={box} class="drawing" aria-hidden="true" />
        <Pointer
          title={title}
          series={shown}
          scales={drawn}
          view={view}
          value={value}
          xLabel={xLabel}
          height={height}
        />
      </div>
      {shown.length === 0 && <p class="soft small">Every line is hidden.</p>}
      {drawn?.notLog === true && <p class="soft small">No value is above zero, so the scale is a plain one.</p>}
      {fault !== "" && <p class="soft">{fault}</p>}
    </figure>
  );
}

interface Drawing extends LineChartProps {
  readonly height: number;
  readonly xLabel: string;
  readonly share: boolean;
  readonly view: ReturnType<typeof useChartView>;
}

/** Draws into a box whenever something changes. The library that does it comes with the first chart. */
function useDrawing({ series, height, xLabel, share, stacked = false, view }: Drawing) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [drawn, setDrawn] = useState<Scales & Pick<Drawn, "notLog">>();
  const [fault, setFault] = useState("");
  const { smooth, log, span } = view;
  useEffect(() => {
    const element = box.current;
    if (element === null || width === 0) return undefined;
    let stale = false;
    import("./draw.ts").then(
      ({ drawLines, MARGIN }) => {
        if (stale) return;
        const { element: picture, ...scales } = drawLines({
          series,
          width,
          height,
          xLabel,
          share,
          stacked,
          smooth,
          log,
          span,
        });
        element.replaceChildren(picture);
        setDrawn({ ...scales, width, margin: MARGIN });
      },
      () => setFault("The chart could not be loaded; reload the page."),
    );
    return () => {
      stale = true;
    };
  }, [series, width, height, share, xLabel, stacked, smooth, log, span]);
  return { box, drawn, fault };
}

interface AboutProps {
  readonly title: string;
  readonly metric: string | undefined;
  readonly meaning: string | undefined;
}

function About({ title, metric, meaning }: AboutProps): JSX.Element {
  return (
    <details class="about">
      <summary aria-label={`What is ${visibleLine(title, 60)}?`}>?</summary>
      <p>
        {meaning}
        {metric !== undefined && (
          <>
            {" "}
            In the store: <code>{visibleLine(metric)}</code>
          </>
        )}
      </p>
    </details>
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
