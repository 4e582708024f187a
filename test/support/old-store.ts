/**
 * The store of `test/samples/old-store`: how it was written, and the plan that takes its training up. The run "finished" is a
 * training of two updates, "unfinished" one of four that was stopped in the third, after the checkpoint of the second.
 */
import { join } from "node:path";
import { createCorridor } from "../../packages/core/src/env/corridor.ts";
import { EARLIER_SETTINGS } from "../../packages/core/src/update/settings.ts";
import type { TrainEvent } from "../../packages/training/src/training/events.ts";
import { train } from "../../packages/training/src/training/train.ts";
import { smallPlan } from "./small-training.ts";

type Options = Parameters<typeof smallPlan>[0];

/** From the folder of the project: a resumed training compares the path of its model, which is another on every machine. */
export const OLD_STORE = join("test", "samples", "old-store");

export function oldPlan(
  root: string,
  run: string,
  steps: number,
  more: Partial<Options> = {},
): ReturnType<typeof smallPlan> {
  return smallPlan({
    recipe: "grpo",
    given: { tasks: 1, group: 2, answerTokens: 3, learningRate: 0.01, ...EARLIER_SETTINGS },
    env: createCorridor({ rooms: 2, maxSteps: 2 }),
    envName: "corridor",
    model: join(OLD_STORE, "start"),
    dir: join(root, run),
    steps,
    report: { tasks: 1, split: "valid" },
    checkpointEvery: 1,
    keep: true,
    ...more,
  });
}

/** @public Writes the fixture, with the code of the commit that it stands for. */
export async function writeOldStore(): Promise<void> {
  const root = join(OLD_STORE, "runs");
  await train(oldPlan(root, "finished", 2));
  const stop = new AbortController();
  let seen = 0;
  const onEvent = ({ kind }: TrainEvent): void => {
    if (kind === "update" && (seen += 1) === 2) stop.abort();
  };
  await train(oldPlan(root, "unfinished", 4, { signal: stop.signal, onEvent })).catch(() => undefined);
}
