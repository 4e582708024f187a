import { join } from "node:path";
import { expect, test } from "vitest";
import { eastward, threeRooms } from "../../../../test/support/provider-bench.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { smallPlan } from "../../../../test/support/small-training.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { train } from "limbeck-training/training/train";

const newFolder = temporaryFolders();

test("a training that was stopped goes on with its averages, and ends with the same weights", async () => {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model);
  const run = async (name: string, updates: number): Promise<void> => {
    const plan = smallPlan({
      recipe: "raft",
      given: { tasks: 2, group: 2, answerTokens: 6, learningRate: 0.01 },
      env: threeRooms(),
      envName: "corridor",
      demonstrator: eastward,
      model,
      dir: join(root, name),
      steps: updates,
      checkpointEvery: 1,
    });
    await train(plan);
  };
  const endOf = async (name: string) => {
    const opened = await openModel(join(root, name, "model"), { threads: 1, resume: true });
    try {
      const { training } = opened.progress as { readonly training: { readonly recipe: unknown } };
      return { weights: opened.weights.flat.slice(), kept: training.recipe };
    } finally {
      await opened.close();
    }
  };
  await run("whole", 3);
  await run("parts", 1);
  const { kept } = await endOf("parts");
  expect(kept).toMatchObject({ tuning: expect.any(Number), teaching: expect.any(Number) });
  await run("parts", 3);
  const [whole, parts] = [await endOf("whole"), await endOf("parts")];
  expect(parts.kept).toEqual(whole.kept);
  expect(parts.weights).toEqual(whole.weights);
});
