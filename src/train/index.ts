/** Train: the objectives, plain arithmetic from per-token statistics to a loss and its weights. */
export {
  badOption,
  checkNumber,
  withDefaults,
  type Confidence,
  type ObjectiveInfo,
  type ObjectiveMethod,
} from "./train.ts";

/** One line each; the id is the file's name. */
export const objectives = {} as const satisfies Record<string, unknown>;
export type ObjectiveId = keyof typeof objectives;
