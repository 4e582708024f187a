/** What the numbers of a run are called, in the list and on its page, as in its report. */
import type { RunItem } from "../../../../src/serve/api.ts";
import { count } from "../../format/numbers.ts";

/** Held-out episodes are stored and not trained on: a training has two counts of steps, and this is the one that it cost. */
export function stepsOf({ kind, updates, steps, cost }: Pick<RunItem, "kind" | "updates" | "steps" | "cost">): {
  readonly label: string;
  readonly value: string;
} {
  const trained = kind === "train" || updates !== null;
  if (trained) return { label: "Environment steps trained on", value: count(cost.environmentSteps) };
  return { label: "Environment steps", value: count(cost.environmentSteps ?? steps) };
}

/** Which tasks a success is of. */
export function splitWords(split: string): string {
  return split.startsWith("train") ? "train split" : `held-out (${split})`;
}
