/** What lies over a chart: the values at the place one points at, and the part that is being chosen. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { curveValue } from "../format/numbers.ts";
import { visibleLine } from "../text/visible-text.ts";
import type { ChartView } from "./chart-view.ts";
import { nearestX, neighbourX, pointAt, smoothPoints, wholeSpan, type Series, type Span } from "./series.ts";

export interface Scales {
  readonly x: { readonly apply: (value: number) => number; readonly invert: (place: number) => number };
  readonly y: { readonly apply: (value: number) => number };
  readonly width: number;
  readonly margin: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
}

export interface PointerProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly scales: Scales | undefined;
  readonly view: ChartView;
  readonly value: (y: number) => string;
  readonly xLabel: string;
  readonly height: number;
}

/** A shorter drag is a click of a hand that is not quite still. */
const LEAST_DRAG = 6;

export function Pointer(props: PointerProps): JSX.Element | null {
  const { title, series, scales, view, xLabel, height } = props;
  const { at, drag, handlers } = usePointing(props);
  const whole = view.span ?? wholeSpan(series);
  if (scales === undefined || whole === undefined) return null;
  const rows = at === undefined ? [] : valuesAt(series, at, view.smooth);
  const left = at === undefined ? 0 : scales.x.apply(at);
  const text = rows
    .map(({ name, y }) => `${visibleLine(name, 60)} ${y === undefined ? "–" : props.value(y)}`)
    .join(", ");
  return (
    <div
      class="pointer"
      role="slider"
      tabIndex={0}
      aria-label={`${visibleLine(title)}: values by ${xLabel}`}
      aria-valuemin={whole[0]}
      aria-valuemax={whole[1]}
      aria-valuenow={at ?? whole[1]}
      aria-valuetext={at === undefined ? "arrow keys walk through the values" : `${xLabel} ${curveValue(at)}: ${text}`}
      {...handlers}
    >
      {at !== undefined && drag === undefined && (
        <>
          <span class="pointer-line" style={{ left: `${left}px`, height: `${height - scales.margin.bottom}px` }} />
          {rows.map(({ name, colour, drawn }) =>
            drawn === undefined ? null : (
              <span
                key={name}
                class="pointer-dot"
                style={{ left: `${left}px`, top: `${scales.y.apply(drawn)}px`, background: `var(--c${colour % 8})` }}
              />
            ),
          )}
          <Values {...props} rows={rows} at={at} left={left} width={scales.width} />
        </>
      )}
      {drag !== undefined && (
        <span
          class="pointer-part"
          style={{ left: `${Math.min(...drag)}px`, width: `${Math.abs(drag[1] - drag[0])}px` }}
        />
      )}
    </div>
  );
}

interface ValueRow {
  readonly name: string;
  readonly colour: number;
  readonly y: number | undefined;
  readonly band: Span | undefined;
  /** Where its line is drawn, which smoothing moves. */
  readonly drawn: number | undefined;
}

interface ValuesProps extends PointerProps {
  readonly rows: readonly ValueRow[];
  readonly at: number;
  readonly left: number;
  readonly width: number;
}

function Values({ rows, at, left, width, value, xLabel, view, series }: ValuesProps): JSX.Element {
  const room = { maxWidth: `${Math.max(190, Math.max(left, width - left) - 16)}px` };
  const side = left > width / 2 ? { right: `${width - left + 12}px` } : { left: `${left + 12}px` };
  return (
    <div class="chart-values" role="presentation" data-testid="chart-values" style={{ ...side, ...room }}>
      <b>
        {xLabel} {curveValue(at)}
      </b>
      <table>
        <tbody>
          {rows.map(({ name, colour, y, band, drawn }) => (
            <tr key={name}>
              <td>
                <span class="swatch" style={{ background: `var(--c${colour % 8})` }} />
              </td>
              {series.length > 1 && <td class="clip">{visibleLine(name, 40)}</td>}
              <td class="number">
                <b>{y === undefined ? "–" : value(y)}</b>
              </td>
              <td class="soft">
                {band !== undefined && `[${value(band[0])}, ${value(band[1])}]`}
                {view.smooth > 0 && drawn !== undefined && drawn !== y && ` smoothed ${value(drawn)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function valuesAt(series: readonly Series[], x: number, smooth: number): ValueRow[] {
  return series.map(({ name, colour, points, marks }) => {
    const point = pointAt(points, x);
    const line = smooth > 0 && marks !== "points" ? pointAt(smoothPoints(points, smooth), x) : point;
    const band = point?.low === undefined || point.high === undefined ? undefined : ([point.low, point.high] as const);
    return { name, colour, y: point?.y, band, drawn: line?.y };
  });
}

/** Pointing shows values, dragging chooses a part, a double click shows all; arrow keys do what pointing does. */
function usePointing({ series, scales, view }: PointerProps) {
  const [at, setAt] = useState<number>();
  const [drag, setDrag] = useState<Span>();
  const from = useRef<number | undefined>(undefined);
  const placeOf = (event: PointerEvent): number => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const place = event.clientX - box.left;
    return scales === undefined ? 0 : clamp(place, scales.margin.left, scales.width - scales.margin.right);
  };
  const move = (event: PointerEvent): void => {
    if (scales === undefined) return;
    const place = placeOf(event);
    if (from.current !== undefined && Math.abs(place - from.current) >= LEAST_DRAG) setDrag([from.current, place]);
    else setAt(nearestX(series, scales.x.invert(place), view.span));
  };
  const release = (event: PointerEvent): void => {
    const [start, end] = [from.current, placeOf(event)];
    from.current = undefined;
    setDrag(undefined);
    if (scales === undefined || start === undefined || Math.abs(end - start) < LEAST_DRAG) return;
    const [low, high] = start < end ? [start, end] : [end, start];
    setAt(undefined);
    view.change({ span: [scales.x.invert(low), scales.x.invert(high)] });
  };
  const walk = (side: -1 | 1): void => {
    const whole = view.span ?? wholeSpan(series);
    if (whole === undefined) return;
    setAt(at === undefined ? nearestX(series, whole[1], view.span) : (neighbourX(series, at, side, view.span) ?? at));
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") walk(event.key === "ArrowLeft" ? -1 : 1);
    else if (event.key === "Home" || event.key === "End") {
      const whole = view.span ?? wholeSpan(series);
      if (whole !== undefined) setAt(nearestX(series, whole[event.key === "Home" ? 0 : 1], view.span));
    } else if (event.key === "Escape") view.change({ span: undefined });
    else return;
    event.preventDefault();
  };
  const leave = (): void => {
    if (from.current === undefined) setAt(undefined);
  };
  const handlers = {
    onPointerMove: move,
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0) return;
      from.current = placeOf(event);
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    },
    onPointerUp: release,
    onPointerCancel: (): void => {
      from.current = undefined;
      setDrag(undefined);
    },
    onPointerLeave: leave,
    onBlur: leave,
    onDblClick: (): void => view.change({ span: undefined }),
    onKeyDown: press,
  };
  return { at, drag, handlers };
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
