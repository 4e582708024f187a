/** What you change first: the model to start from, and how much is done. */

/** A small model that comes with limbeck; the folder of one of your own stands in its place, or "fresh". */
export const BASE = "tools";
/** Where the model lies that the training begins with. The first training makes it from BASE. */
export const START = "models/start";
/** Room for the longest action, in tokens of the model. */
export const ANSWER_TOKENS = 48;

export interface Size {
  /** Most updates in which the expert is copied, tasks that it shows, and tasks on which success is measured on the way. */
  readonly warming: { readonly steps: number; readonly demonstrations: number; readonly tasks: number };
  /** Updates from own attempts, tasks in each, and attempts at each task. */
  readonly learning: { readonly steps: number; readonly tasks: number; readonly group: number };
  /** Tasks on which success is measured, before and after. */
  readonly report: number;
}

/** tiny shows that everything runs, short that something is learned, long has more updates. */
export const SIZES: Readonly<Record<"tiny" | "short" | "long", Size>> = {
  tiny: {
    warming: { steps: 1, demonstrations: 4, tasks: 1 },
    learning: { steps: 1, tasks: 1, group: 2 },
    report: 2,
  },
  short: {
    warming: { steps: 300, demonstrations: 400, tasks: 32 },
    learning: { steps: 8, tasks: 6, group: 6 },
    report: 64,
  },
  long: {
    warming: { steps: 600, demonstrations: 600, tasks: 64 },
    learning: { steps: 30, tasks: 8, group: 8 },
    report: 100,
  },
};
