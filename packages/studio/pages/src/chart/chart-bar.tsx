/** What holds for all curves of a page: smoothing, a scale of powers, and the part that is shown. */
import type { JSX } from "preact";
import { curveValue } from "../format/numbers.ts";
import { useShortcuts } from "../keys/shortcuts.tsx";
import { MOST_SMOOTH, useChartView } from "./chart-view.ts";

export function ChartBar({ xLabel = "update" }: { readonly xLabel?: string }): JSX.Element {
  const { smooth, log, span, hidden, change } = useChartView();
  useShortcuts("Curves", [
    { keys: "l", meaning: "powers of ten on the side of the curves", run: () => change({ log: !log }) },
    { keys: "z", meaning: "show all updates again", run: () => change({ span: undefined }) },
  ]);
  return (
    <div class="chart-bar row" role="group" aria-label="How curves are drawn">
      <label class="row">
        Smoothing
        <input
          type="range"
          min="0"
          max={MOST_SMOOTH}
          step="0.01"
          value={smooth}
          onInput={({ currentTarget }) => change({ smooth: Number(currentTarget.value) })}
        />
        <output class="number">{smooth === 0 ? "off" : smooth.toFixed(2)}</output>
      </label>
      <label class="row">
        <input type="checkbox" checked={log} onChange={() => change({ log: !log })} /> log scale
      </label>
      {span === undefined ? (
        <span class="soft small">Drag over a curve to zoom.</span>
      ) : (
        <button class="button small" type="button" onClick={() => change({ span: undefined })}>
          {xLabel} {curveValue(Math.round(span[0]))} to {curveValue(Math.round(span[1]))} ✕ show all
        </button>
      )}
      {hidden.size > 0 && (
        <button class="button small" type="button" onClick={() => change({ hidden: new Set() })}>
          {hidden.size} hidden ✕ show all lines
        </button>
      )}
    </div>
  );
}
