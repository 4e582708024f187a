import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import { train } from "./train.ts";

test("the learning rate follows the schedule of the settings, over all updates", async () => {
  const root = await mkdtemp(join(tmpdir(), "limbeck-schedule-"));
  await writeTinyModel(join(root, "tiny"));
  const rates: (number | undefined)[] = [];
  await train(
    smallPlan({
      recipe: "grpo",
      given: { tasks: 1, group: 2, learningRate: 0.1, warmup: 1, schedule: "linear", finalLearningRate: 0.04 },
      env: createCorridor({ rooms: 2, maxSteps: 2 }),
      envName: "corridor",
      model: join(root, "tiny"),
      dir: join(root, "run"),
      steps: 4,
      rewardAll: evenTokens,
      onEvent: (event) => {
        if (event.kind === "update") rates.push(event.metrics["learningRate"]);
      },
    }),
  );
  await rm(root, { recursive: true });
  // One warm-up update at the full rate, then 0.1 - 0.06 p with p = 0, 1/3, 2/3.
  [0.1, 0.1, 0.08, 0.06].forEach((rate, at) => expect(rates[at]).toBeCloseTo(rate, 10));
});
