/** What a training that stops says of its checkpoint: which update it holds, and which could not be saved. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { EngineError, errorData } from "limbeck-base/base/errors";
import type { OptionValue } from "limbeck-base/base/option-table";
import { createCorridor } from "limbeck-core/env/corridor";
import { openModel } from "limbeck-policy/policy/local/open-model";
import type { RecipeId } from "limbeck-core/recipe/registry";
import type { NoticeEvent, TrainEvent } from "./events.ts";
import type { TrainOptions } from "./options.ts";
import { train } from "./train.ts";

type Options = TrainOptions<RecipeId, string>;

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-unsaved-"));
  await writeTinyModel(join(root, "tiny"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function plan(dir: string, given: Readonly<Record<string, OptionValue>>, more: Partial<Options> = {}): Options {
  return smallPlan({
    recipe: "grpo",
    given: { tasks: 2, group: 2, answerTokens: 3, learningRate: 0.01, ...given },
    env: createCorridor({ rooms: 2, maxSteps: 2 }),
    envName: "corridor",
    model: join(root, "tiny"),
    dir: join(root, dir),
    steps: 4,
    rewardAll: evenTokens,
    ...more,
  });
}

/** The rewards of the third update fail, after `before`. */
function failingThird(before: () => Promise<void>): NonNullable<Options["rewardAll"]> {
  let updates = 0;
  return async (episodes) => {
    updates += 1;
    if (updates < 3) return await evenTokens(episodes);
    await before();
    throw new EngineError("reward-contract", "The judge is gone.");
  };
}

async function weightsOf(folder: string): Promise<Float32Array> {
  const model = await openModel(folder, { threads: 1 });
  try {
    return model.weights.flat.slice();
  } finally {
    await model.close();
  }
}

test("a learning rate that destroys the weights stops the training at that step, and the checkpoint is as before it", async () => {
  const error: unknown = await train(plan("destroyed", { learningRate: 1e38 })).catch((reason: unknown) => reason);
  expect(errorData(error)).toMatchObject({
    code: "update-not-finite",
    message: expect.stringMatching(/^Step 1 makes a weight .*learning rate 1e\+38/) as string,
  });
  expect(await weightsOf(join(root, "destroyed", "model"))).toEqual(await weightsOf(join(root, "tiny")));
});

test("what was finished and could not be saved is named, with why and with what the checkpoint holds", async () => {
  const folder = join(root, "blocked", "model");
  const rewardAll = failingThird(async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, "no folder");
  });
  const error: unknown = await train(plan("blocked", {}, { rewardAll })).catch((reason: unknown) => reason);
  expect(errorData(error)).toMatchObject({
    code: "reward-contract",
    message: expect.stringMatching(
      /^The judge is gone\. Updates 1 to 2 are not saved \(.*\): the checkpoint holds update 0\./,
    ) as string,
  });
});

test("what stops in the middle of learning says what it loses", async () => {
  const wanted = plan("halfway", { miniBatches: 2 });
  let steps = 0;
  const recipe = await import("limbeck-core/recipe/registry").then(({ getRecipe }) => getRecipe("grpo"));
  const update: typeof recipe.update = async (context, settings) => {
    await recipe.update(context, settings);
    steps += 1;
    if (steps === 2) throw new EngineError("bad-value", "The second update fails after its steps.");
  };
  const error: unknown = await train({ ...wanted, recipe: { ...recipe, update } }).catch((reason: unknown) => reason);
  expect(errorData(error)).toMatchObject({
    code: "bad-value",
    message: expect.stringMatching(
      /after its steps\. Update 1 is not saved \(.*changed the weights.*\): the checkpoint holds update 0\./,
    ) as string,
  });
});

test("so says an update whose records could not be written, and a checkpoint that could not", async () => {
  const broken =
    (kind: TrainEvent["kind"]) =>
    (event: TrainEvent): void => {
      if (event.kind === kind && "update" in event && event.update === 2)
        throw new EngineError("disk-full", "It is full.");
    };
  await expect(train(plan("records", {}, { onEvent: broken("update"), checkpointEvery: 5 }))).rejects.toMatchObject({
    code: "disk-full",
    message: expect.stringMatching(/^It is full\. .*the checkpoint holds update 0\./) as string,
  });
  const folder = join(root, "checkpoint", "model");
  const rewardAll: NonNullable<Options["rewardAll"]> = async (episodes) => {
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, "no folder");
    return await evenTokens(episodes);
  };
  await expect(train(plan("checkpoint", {}, { rewardAll, checkpointEvery: 2 }))).rejects.toMatchObject({
    message: expect.stringMatching(/Updates 1 to 2 are not saved: the checkpoint holds update 0\./) as string,
  });
});

test("where everything is saved nothing is added, and a stop still says what is kept", async () => {
  const rewardAll = failingThird(async () => undefined);
  const error: unknown = await train(plan("saved", {}, { rewardAll })).catch((reason: unknown) => reason);
  expect(errorData(error).message).toBe("The judge is gone.");
  const stop = new AbortController();
  const notices: string[] = [];
  const onEvent = (event: TrainEvent): void => {
    if (event.kind === "update" && event.update === 2) stop.abort();
    if (event.kind === "notice") notices.push((event satisfies NoticeEvent).message);
  };
  await expect(train(plan("stopped", {}, { signal: stop.signal, onEvent }))).rejects.toMatchObject({
    code: "cancelled",
  });
  expect(notices.join()).toContain("Update 2 of 4 is kept.");
});
