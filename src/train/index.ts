/** Train: the objectives, plain arithmetic from per-token statistics to a loss and its weights. */
import { crossEntropy } from "./cross-entropy.ts";

export { cloningRows, type CloningOptions, type CloningRows } from "./cloning-rows.ts";
export { meanLoss, trainSupervised, type SupervisedOptions, type SupervisedReport } from "./supervised.ts";
export {
  badOption,
  checkNumber,
  withDefaults,
  type Confidence,
  type ObjectiveInfo,
  type ObjectiveMethod,
} from "./train.ts";

/** One line each; the id is the file's name. */
export const objectives = {
  "cross-entropy": crossEntropy,
} as const satisfies Record<string, unknown>;
export type ObjectiveId = keyof typeof objectives;
