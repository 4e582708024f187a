/** A difference with its interval on a line from -50 to 50 points, with zero in the middle. */
import type { JSX } from "preact";

export interface DifferenceMarkProps {
  readonly difference: { readonly difference: number; readonly low: number; readonly high: number };
}

/** Larger differences are rare, and stand at the end. */
const REACH = 0.5;

export function DifferenceMark({ difference: { difference, low, high } }: DifferenceMarkProps): JSX.Element {
  const at = (value: number): string => `${50 + Math.max(-1, Math.min(1, value / REACH)) * 50}%`;
  const side = low > 0 ? "more" : high < 0 ? "less" : "none";
  return (
    <span class={`difference ${side}`} aria-hidden="true">
      <span class="zero" />
      <span class="reach" style={{ left: at(low), right: `calc(100% - ${at(high)})` }} />
      <span class="pin" style={{ left: at(difference) }} />
    </span>
  );
}
