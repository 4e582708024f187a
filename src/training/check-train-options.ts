/** What `train` demands of the numbers among its options, before anything is opened. */
import { checkOptions, may } from "../base/options.ts";
import type { RecipeId } from "../recipe/index.ts";
import type { TrainOptions } from "./options.ts";

export const TRAIN_CHECKS = {
  steps: may.count,
  seed: may.whole,
  evaluationTemperature: may.amount,
  stopAt: { kind: "limit", least: 0, most: 1 },
  checkpointEvery: may.count,
  lora: may.whole,
  lag: may.whole,
  threads: may.count,
  cores: may.count,
} as const;
/** Those inside an option, by its name. */
export const TRAIN_INNER_CHECKS = {
  validation: { every: may.whole, tasks: may.whole },
  report: { tasks: may.whole, midway: may.count },
  budget: { seconds: may.amount },
  trainer: { rank: may.whole },
  correction: { truncate: { kind: "limit", above: 0 }, rejectAbove: { kind: "limit", least: 0 } },
} as const;

export function checkTrainOptions(options: TrainOptions<RecipeId, string>): void {
  checkOptions("train", options, TRAIN_CHECKS);
  for (const [name, table] of Object.entries(TRAIN_INNER_CHECKS)) {
    checkOptions("train", options[name as keyof typeof TRAIN_INNER_CHECKS], table, name);
  }
}
