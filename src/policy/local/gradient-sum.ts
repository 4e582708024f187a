/**
 * Gradients of several micro-batches, summed. The runtime writes into arrays that are kept, so that no run allocates
 * them anew, and sums that are still empty are not added to but replaced: one micro-batch a step costs no pass at all.
 */
import type { Program } from "../../graph/index.ts";
import { createSum } from "./adam-kernel.ts";
import { viewsOf, type Weights } from "./weights.ts";

export interface GradientSum {
  /** Everything that was committed since it was cleared. */
  readonly total: Float32Array;
  /** Where the gradients of one run are to be written; `collect` says that they were. */
  target(program: Program): Record<string, Float32Array>;
  collect(): void;
  /** An array for a run elsewhere. What it was written to there, `collectFrom` takes over. */
  lend(): Float32Array;
  collectFrom(written: Float32Array): void;
  /** Adds what was collected to the total, or forgets it. */
  commit(): void;
  abandon(): void;
  clear(): void;
}

interface Laid {
  readonly flat: Float32Array;
  readonly views: readonly (readonly [string, Float32Array])[];
}

export function createGradientSum({ flat: { length }, places }: Weights): GradientSum {
  const make = (flat: Float32Array = new Float32Array(length)): Laid => {
    const views = Object.entries(viewsOf(flat, places)).map(([name, view]) => [`gradient ${name}`, view] as const);
    return { flat, views };
  };
  const addTo = createSum();
  const free: Laid[] = [];
  let total = make();
  let empty = true;
  /** Whether what lies in the total counts no more; it is overwritten by the next gradients, or zeroed for who looks before. */
  let stale = false;
  let sum: Laid | undefined;
  let written: Laid | undefined;
  const release = (array: Laid | undefined): undefined => {
    if (array !== undefined) free.push(array);
    return undefined;
  };
  const collect = (): void => {
    if (sum === undefined) sum = written;
    else if (written !== undefined) {
      addTo(sum.flat, written.flat);
      release(written);
    }
    written = undefined;
  };
  return {
    get total() {
      if (stale) total.flat.fill(0);
      stale = false;
      return total.flat;
    },
    target: (program) => {
      written ??= free.pop() ?? make();
      const given = written.views.filter(([name]) => name in program.model.outputs);
      // What the graph does not give is zero.
      if (given.length < written.views.length) written.flat.fill(0);
      return Object.fromEntries(given);
    },
    collect,
    lend: () => (free.pop() ?? make()).flat,
    collectFrom: (flat) => {
      written = make(flat);
      collect();
    },
    commit: () => {
      if (sum === undefined) return;
      if (empty) [total, sum] = [sum, total];
      else addTo(total.flat, sum.flat);
      [empty, stale] = [false, false];
      sum = release(sum);
    },
    abandon: () => {
      written = release(written);
      sum = release(sum);
    },
    clear: () => {
      [empty, stale] = [true, true];
    },
  };
}
