/** One contract for everything that says how likely an unfinished episode is to succeed: values of searches, rewards of steps, strategies. */
import type { Step, Trajectory } from "../trajectory/index.ts";

/** Chances from 0 to 1, one for each thing asked, in order. */
export interface OutcomeScorer {
  /** After the last token of each context: what a state is worth. */
  scoreTokens(contexts: readonly Int32Array[], signal?: AbortSignal): Promise<number[]>;
  /** After each step of a whole episode. */
  scoreSteps(trajectory: Trajectory, steps: readonly Step[]): Promise<number[]>;
}
