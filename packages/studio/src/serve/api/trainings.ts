/** Trainings that were started from the page: what may be chosen, and how each goes. */
import { z } from "zod";

/** "starting" has not opened its model yet; "stopping" got the signal and has not ended. */
export const trainingState = z.enum(["starting", "running", "stopping", "finished", "stopped", "failed"]);

const most = (least: number, largest: number): z.ZodInt => z.int().min(least).max(largest);

export const trainingOrder = z.object({
  world: z.string().min(1),
  recipe: z.string().min(1),
  updates: most(1, 200),
  seed: most(0, 1_000_000),
  /** Tasks of an update, and episodes of each. */
  tasks: most(1, 32),
  episodes: most(2, 32),
  /** Tasks that are played before and after, and never trained on. */
  heldOut: most(2, 500),
});
export type TrainingOrder = z.infer<typeof trainingOrder>;

export const trainingItem = trainingOrder.extend({
  /** The run it writes. */
  run: z.string(),
  state: trainingState,
  /** What it is doing, in words. */
  phase: z.string(),
  done: z.int(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  /** Why it failed: its last lines of output. */
  problem: z.string().nullable(),
  /** The same in a terminal. */
  command: z.string(),
});
export type TrainingItem = z.infer<typeof trainingItem>;

export const trainingsAnswer = z.object({
  /** Why none can be started here; null where one can. */
  refused: z.string().nullable(),
  worlds: z.array(z.string()),
  recipes: z.array(z.object({ id: z.string(), meaning: z.string() })),
  /** What a form begins with. */
  start: trainingOrder,
  /** Newest first. */
  trainings: z.array(trainingItem),
});
export type Trainings = z.infer<typeof trainingsAnswer>;

export const stopRequest = z.object({ run: z.string().min(1) });
