/**
 * A list of any length that draws only what is in sight. Rows have the height of their content; a row that turns out
 * taller than expected above the reader moves nothing that the reader sees.
 */
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { createRowHeights, rowsInSight, type RowHeights } from "./row-heights.ts";

export interface VirtualListProps {
  readonly count: number;
  /** Expected height of a row, in pixels. */
  readonly estimate: number;
  readonly label: string;
  readonly row: (row: number) => ComponentChildren;
  /** Scrolls to this row when it changes; `at` tells two wishes for one row apart. */
  readonly target?: { readonly row: number; readonly at: number } | undefined;
  /** Tells which rows are drawn, to fetch what they need. */
  readonly onRows?: (start: number, end: number) => void;
  /** With a scroll bar of its own instead of the page's. */
  readonly boxed?: boolean;
  readonly class?: string;
}

const MARGIN = 600;
/** Room above a row that was scrolled to, for the bar that stays on top. */
const ABOVE = 72;

export function VirtualList(props: VirtualListProps): JSX.Element {
  const { count, estimate, label, row, target, onRows, boxed = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => createRowHeights(count, estimate), [count, estimate]);
  const { range, look } = useSight(box, heights, boxed);
  useTarget(box, heights, boxed, target, look);
  const observe = useMeasure(heights, look, box, boxed);
  useEffect(() => onRows?.(range.start, range.end), [range.start, range.end, onRows]);

  const rows: JSX.Element[] = [];
  for (let at = range.start; at < Math.min(range.end, count); at += 1) {
    rows.push(
      <div key={at} role="listitem" data-row={at} ref={observe} aria-setsize={count} aria-posinset={at + 1}>
        {row(at)}
      </div>,
    );
  }
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ""}`}
      role="list"
      aria-label={label}
      {...(boxed ? { tabIndex: 0 } : {})}
      onScroll={boxed ? look : undefined}
    >
      <div style={{ height: `${heights.offsetOf(range.start)}px` }} role="presentation" />
      {rows}
      <div style={{ height: `${heights.total() - heights.offsetOf(range.end)}px` }} role="presentation" />
    </div>
  );
}

function useSight(box: { readonly current: HTMLDivElement | null }, heights: RowHeights, boxed: boolean) {
  const [range, setRange] = useState({ start: 0, end: Math.min(heights.count, 12) });
  const [, redraw] = useState(0);
  const look = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    const top = boxed ? element.scrollTop : -element.getBoundingClientRect().top;
    const next = rowsInSight(heights, { top, height: boxed ? element.clientHeight : innerHeight }, MARGIN);
    setRange((held) => (held.start === next.start && held.end === next.end ? held : next));
    redraw((round) => round + 1);
  }, [box, heights, boxed]);
  useLayoutEffect(look, [look]);
  useEffect(() => {
    if (boxed) return undefined;
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [look, boxed]);
  return { range, look };
}

function useMeasure(
  heights: RowHeights,
  look: () => void,
  box: { readonly current: HTMLDivElement | null },
  boxed: boolean,
): (element: HTMLDivElement | null) => void {
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const element = box.current;
        if (element === null) return;
        const top = boxed ? element.scrollTop : -element.getBoundingClientRect().top;
        const first = heights.rowAt(Math.max(0, top));
        let [changed, shift] = [false, 0];
        for (const { target } of entries) {
          const row = Number((target as HTMLElement).dataset["row"]);
          const height = (target as HTMLElement).getBoundingClientRect().height;
          if (height === 0) continue;
          const before = heights.heightOf(row);
          if (!heights.measure(row, height)) continue;
          changed = true;
          if (row < first) shift += height - before;
        }
        if (shift !== 0) {
          if (boxed) element.scrollTop += shift;
          else scrollBy(0, shift);
        }
        if (changed) look();
      }),
    [heights, look, box, boxed],
  );
  useEffect(() => () => observer.disconnect(), [observer]);
  return useCallback(
    (element) => {
      if (element !== null) observer.observe(element);
    },
    [observer],
  );
}

/** Rows on the way are measured only when they are drawn, so a long jump is corrected a few times. */
function useTarget(
  box: { readonly current: HTMLDivElement | null },
  heights: RowHeights,
  boxed: boolean,
  target: VirtualListProps["target"],
  look: () => void,
): void {
  useEffect(() => {
    if (target === undefined) return undefined;
    let [frame, rounds] = [0, 0];
    const jump = (): void => {
      const element = box.current;
      if (element === null) return;
      if (boxed) element.scrollTop = heights.offsetOf(target.row) - element.clientHeight / 3;
      else scrollTo(0, scrollY + element.getBoundingClientRect().top + heights.offsetOf(target.row) - ABOVE);
      look();
      rounds += 1;
      if (rounds < 4) frame = requestAnimationFrame(jump);
    };
    jump();
    return () => cancelAnimationFrame(frame);
  }, [target?.row, target?.at, heights, boxed]);
}
