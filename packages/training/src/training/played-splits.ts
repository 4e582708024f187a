/** The splits that a training plays. One that is empty, or is not there, is refused by name before anything else. */
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Env } from "limbeck-core/env/env";
import type { RecipeId } from "limbeck-core/recipe/registry";
import type { TrainingPlan, TrainOptions } from "./options.ts";
import { heldOut } from "./parts.ts";

/** What it is measured on. */
export function playedSplits(
  env: Env,
  given: Pick<TrainOptions<RecipeId, string>, "validation" | "report">,
): Pick<TrainingPlan, "validation" | "report"> {
  const validation = {
    every: 10,
    tasks: 128,
    split: heldOut(env.splits, "valid"),
    ...withoutUndefined({ ...given.validation }),
  };
  const report = { tasks: 256, split: heldOut(env.splits, "test"), ...withoutUndefined({ ...given.report }) };
  const tasks = `Let its "splits" and tasks() give some under that name`;
  requireSplit(env, "train", "The training", `${tasks}: a training plays the split "train".`);
  if (validation.every > 0 && validation.tasks > 0) {
    requireSplit(
      env,
      validation.split,
      "The validation",
      `${tasks}, name another split (validation.split), or do without (validation.every: 0, --validate-every 0).`,
    );
  }
  if (report.tasks > 0) {
    requireSplit(
      env,
      report.split,
      "The report",
      `${tasks}, name another split (report.split), or do without (report.tasks: 0, --report-tasks 0).`,
    );
  }
  return { validation, report };
}

/** A split that nothing can be played of is refused by name. `what` needs it: "The training", "The validation". */
export function requireSplit(
  { id, splits }: Pick<Env, "id" | "splits">,
  split: string,
  what: string,
  wayOut: string,
): void {
  const size = Object.hasOwn(splits, split) ? splits[split] : undefined;
  if (size !== undefined && size >= 1) return;
  const others = Object.entries(splits).map(
    ([name, count]) => `${name} (${count === Infinity ? "without end" : count})`,
  );
  throw new EngineError(
    "no-tasks",
    `${what} has no tasks: the world "${id}" ${size === undefined ? `has no split "${split}"` : `holds ${size} tasks in its split "${split}"`}. Its splits: ${others.join(", ") || "none"}. ${wayOut}`,
    { details: { env: id, split, splits: others } },
  );
}
