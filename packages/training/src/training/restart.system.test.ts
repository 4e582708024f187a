import { join } from "node:path";
import { expect, test } from "vitest";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { startTrainer, type Trainer } from "limbeck-remote/tinker-server/server";
import type { TrainEvent } from "./events.ts";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

test("a trainer that is restarted in the middle forgets its models, and the training ends as an undisturbed one", async () => {
  const root = await newFolder();
  const model = join(root, "tiny");
  await writeTinyModel(model);
  const start = (port?: number): Promise<Trainer> =>
    startTrainer({
      model,
      checkpoints: join(root, "kept"),
      local: { threads: 1 },
      ...(port === undefined ? {} : { port }),
    });
  let trainer = await start();
  const { url, port } = trainer;
  const run = async (name: string, onEvent: (event: TrainEvent) => void): Promise<Float32Array> => {
    await train({
      ...smallPlan({
        recipe: "grpo",
        given: { tasks: 1, group: 4, answerTokens: 3, learningRate: 0.01 },
        env: createCorridor({ rooms: 2, maxSteps: 2 }),
        envName: "corridor",
        model,
        dir: join(root, name),
        steps: 4,
        report: { tasks: 1, split: "valid" },
        rewardAll: evenTokens,
        onEvent,
      }),
      checkpointEvery: 1,
      trainer: { url },
    });
    const opened = await openModel(join(root, name, "model"), { threads: 1 });
    const weights = opened.weights.flat.slice();
    await opened.close();
    return weights;
  };
  const quiet = await run("quiet", () => undefined);
  const events: TrainEvent[] = [];
  let restarted: Promise<void> | undefined;
  const disturbed = await run("disturbed", (event) => {
    events.push(event);
    if (event.kind !== "update" || event.update !== 2) return;
    restarted ??= trainer.close().then(async () => {
      trainer = await start(port);
    });
  });
  await restarted;
  await trainer.close();
  expect(events.some((event) => event.kind === "notice" && event.message.includes("restarted"))).toBe(true);
  expect(disturbed).toEqual(quiet);
});
