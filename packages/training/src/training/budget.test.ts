import { join } from "node:path";
import { expect, test } from "vitest";
import { smallPlan } from "../../../../test/support/small-training.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

test("nothing is asked of the model once the time is up", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"));
  let [clock, late] = [0, 0];
  const base = createCorridor({ rooms: 2, maxSteps: 30 });
  const plan = smallPlan({
    recipe: "grpo",
    env: {
      ...base,
      open: async (task) => {
        const episode = await base.open(task);
        const step = episode.step.bind(episode);
        return Object.assign(episode, {
          step: async (...given: Parameters<typeof step>) => {
            if (clock >= 10_000) late += 1;
            clock += 1_000;
            return await step(...given);
          },
        });
      },
    },
    envName: "corridor",
    model: join(root, "start"),
    dir: join(root, "run"),
    steps: 1,
    given: { tasks: 1, group: 3, answerTokens: 2 },
    now: () => clock,
    budget: { seconds: 10 },
  });
  await expect(train(plan)).rejects.toMatchObject({ code: "budget" });
  // Three episodes at the same time: each may have had one answer on its way.
  expect(late).toBeLessThanOrEqual(3);
  expect(clock).toBeGreaterThanOrEqual(10_000);
});
