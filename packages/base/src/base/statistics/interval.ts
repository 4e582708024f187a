/** An interval, and how sure one wants to be of it. */
import { EngineError } from "../errors.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Probability left out on each side: 0.025 for 0.95. */
export function tailOf(confidence: number): number {
  if (confidence > 0 && confidence < 1) return (1 - confidence) / 2;
  throw new EngineError("bad-sample", `Confidence ${confidence} is outside 0 to 1; 0.95 is usual.`);
}
