/** How the models of these worlds are trained, on either way: by Limbeck alone, or by torch-train.py. */
import type { Rates, Training } from "../settings.ts";
import type { StartingWorld } from "./starting-world.ts";

export const worldTraining: Training = { seed: 7, clipNorm: 1, readingWeight: 0.15, saveEvery: 50 };

/** One fall of the learning rate over all lessons. */
export function worldRates({ updates }: StartingWorld): Rates {
  return { updates, batchRows: 48, learningRate: 3e-3, finalLearningRate: 3e-5, warmupUpdates: 50 };
}
