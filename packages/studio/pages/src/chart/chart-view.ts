/** How the curves of a page are looked at. It stands in the address, so that a view can be kept and passed on. */
import { useMemo } from "preact/hooks";
import { setting, settings, type Place } from "../route/place.ts";
import { refine, usePlace } from "../route/use-place.ts";
import type { Span } from "./series.ts";

export interface ChartView {
  /** How much an older value counts for the next; 0 draws what was measured. */
  readonly smooth: number;
  readonly log: boolean;
  /** The part of the updates that is shown; undefined shows all. */
  readonly span: Span | undefined;
  /** Names of series that are switched off. */
  readonly hidden: ReadonlySet<string>;
  readonly change: (change: ViewChange) => void;
}

export interface ViewChange {
  readonly smooth?: number;
  readonly log?: boolean;
  readonly span?: Span | undefined;
  readonly hidden?: ReadonlySet<string>;
}

export const MOST_SMOOTH = 0.99;

export function useChartView(): ChartView {
  const place = usePlace();
  const read = useMemo(
    () => readView(place),
    // The same words in the address are the same view.
    [setting(place, "smooth"), setting(place, "log"), setting(place, "x"), settings(place, "hide").join("\n")],
  );
  return { ...read, change: (change) => refine(place, writeView(change)) };
}

export function readView(place: Place): Omit<ChartView, "change"> {
  const smooth = Number(setting(place, "smooth") ?? 0);
  return {
    smooth: smooth > 0 && smooth <= MOST_SMOOTH ? smooth : 0,
    log: setting(place, "log") === "yes",
    span: readSpan(setting(place, "x")),
    hidden: new Set(settings(place, "hide")),
  };
}

export function writeView(change: ViewChange): Record<string, string | readonly string[] | undefined> {
  const { smooth, log, span, hidden } = change;
  return {
    ...(smooth === undefined ? {} : { smooth: smooth === 0 ? undefined : String(smooth) }),
    ...(log === undefined ? {} : { log: log ? "yes" : undefined }),
    ...("span" in change ? { x: span === undefined ? undefined : `${short(span[0])}..${short(span[1])}` } : {}),
    ...(hidden === undefined ? {} : { hide: [...hidden] }),
  };
}

function readSpan(text: string | undefined): Span | undefined {
  const [, from, to] = /^(-?[\d.e+-]+?)\.\.(-?[\d.e+-]+)$/.exec(text ?? "") ?? [];
  const span = [Number(from), Number(to)] as const;
  return Number.isFinite(span[0]) && Number.isFinite(span[1]) && span[0] < span[1] ? span : undefined;
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}
