import { join } from "node:path";
import { expect, test } from "vitest";
import { smallPlan } from "../../../../test/support/small-training.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

test("answers that a strategy drew at another temperature are not learned from as if they were the policy's own", async () => {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model);
  const plan = smallPlan({
    recipe: "grpo",
    strategy: "tree",
    env: createCorridor(),
    envName: "corridor",
    model,
    dir: join(root, "run"),
    steps: 1,
    given: { tasks: 2, answerTokens: 4, "strategy.temperature": 2 },
  });
  await expect(train(plan)).rejects.toThrow("drew answers at temperature 2; a training learns from answers drawn at 1");
});
