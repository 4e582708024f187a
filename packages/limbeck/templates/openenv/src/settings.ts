/** What you change first: the model to start from, and how much is done. */
import { bundledModel } from "limbeck/local";

/** A small model that comes with limbeck; the folder of one of your own stands in its place. */
export const MODEL = bundledModel("household");
/** Room for the longest action, in tokens of the model. */
export const ANSWER_TOKENS = 24;

export interface Size {
  /** Updates in which the expert is copied, and tasks in each. */
  readonly copying: { readonly steps: number; readonly tasks: number };
  /** Updates from own attempts, tasks in each, and attempts at each task. */
  readonly learning: { readonly steps: number; readonly tasks: number; readonly group: number };
  /** Tasks on which success is measured, before and after. */
  readonly report: number;
}

/** tiny shows that everything runs, short that something is learned, long takes some minutes. */
export const SIZES: Readonly<Record<"tiny" | "short" | "long", Size>> = {
  tiny: { copying: { steps: 1, tasks: 2 }, learning: { steps: 1, tasks: 1, group: 2 }, report: 2 },
  short: { copying: { steps: 16, tasks: 12 }, learning: { steps: 4, tasks: 6, group: 6 }, report: 32 },
  long: { copying: { steps: 40, tasks: 16 }, learning: { steps: 30, tasks: 8, group: 8 }, report: 100 },
};
