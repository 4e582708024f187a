/** The contract of a rubric: a named check of one whole trajectory, with the steps that show it. Pure and world-blind. */
import { cutWords } from "limbeck-base/base/words";
import type { Step } from "limbeck-base/trajectory/trajectory";

/** An episode from its first step, steps of its parents included. */
export interface RubricWalk {
  readonly goal: string;
  readonly steps: readonly Step[];
  readonly success: boolean | null;
  /** What was seen after the last action, where it is known. */
  readonly closing: string | undefined;
  /** First words of actions that this world accepted anywhere in the batch: the verbs it knows. */
  readonly verbs: ReadonlySet<string>;
}

export type RubricFinding =
  /** `share` is how much of what could show it did, between 0 and 1. */
  | { readonly shown: boolean; readonly steps: readonly number[]; readonly share: number }
  /** It does not apply to this trajectory. */
  | { readonly shown: null; readonly why: string };

export interface Rubric {
  readonly id: string;
  /** One sentence: what it means when it is shown. */
  readonly summary: string;
  /** Whether showing it is good. */
  readonly good: boolean;
  check(walk: RubricWalk): RubricFinding;
}

/** What an action did to the state. Unknown for the last one, unless it won: the state after it has no key. */
export function effectOf(walk: RubricWalk, at: number): "changed" | "same" | "unknown" {
  const [now, next] = [walk.steps[at], walk.steps[at + 1]];
  if (now === undefined) return "unknown";
  if (next !== undefined) return now.stateKey === next.stateKey ? "same" : "changed";
  return walk.success === true ? "changed" : "unknown";
}

/** What was seen after the action. */
export function seenAfter(walk: RubricWalk, at: number): string | undefined {
  return at === walk.steps.length - 1 ? walk.closing : walk.steps[at + 1]?.observation;
}

/** A finding from the steps that show it, out of those that could. */
export function findingFrom(walk: RubricWalk, shown: readonly number[], could: number): RubricFinding {
  const indices = shown.map((at) => walk.steps[at]?.index ?? at);
  return { shown: shown.length > 0, steps: indices, share: could === 0 ? 0 : shown.length / could };
}

/** Letters, digits, "_" and "-" that stand together, in small letters. */
export function wordsOf(text: string): string[] {
  return cutWords(text, { pattern: /[\p{L}\p{N}_-]+/gu });
}
