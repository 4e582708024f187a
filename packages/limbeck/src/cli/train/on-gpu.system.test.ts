import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { evenTokens, smallPlan } from "../../../../../test/support/small-training.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { NEEDS_TORCH, torchPython, torchThere, torchTrainer } from "../../../../../test/support/torch.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { checkTinkerServer } from "limbeck-policy/policy/tinker/conformance/run";
import type { OptionValue } from "limbeck-base/base/option-table";
import type { RecipeId } from "limbeck-core/recipe/registry";
import { openStore } from "limbeck-store/store/open-store";
import { checkPython, startTorchTrainer, type TorchTrainer } from "limbeck-remote/tinker-server/torch-trainer";
import { train } from "limbeck-training/training/train";
import type { TrainEvent } from "limbeck-training/training/events";
import type { TrainOptions } from "limbeck-training/training/options";
import { trainOnGpu } from "limbeck-training/training/on-gpu";

const UPDATES = 5;

describe.skipIf(!torchThere)(`the trainer in Python (${NEEDS_TORCH})`, () => {
  let root = "";
  let model = "";
  let trainer: TorchTrainer;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "limbeck-gpu-"));
    model = join(root, "tiny");
    await writeTinyModel(model);
    trainer = await torchTrainer(model);
  }, 120_000);
  afterAll(() => rm(root, { recursive: true, force: true }));

  const plan = (
    dir: string,
    recipe: string,
    given: Readonly<Record<string, OptionValue>>,
    onEvent: (event: TrainEvent) => void = () => undefined,
  ): TrainOptions<RecipeId, string> & { readonly dir: string } => ({
    ...smallPlan({
      recipe,
      given: { tasks: 1, group: 4, answerTokens: 3, learningRate: 0.01, ...given },
      env: createCorridor({ rooms: 2, maxSteps: 2 }),
      envName: "corridor",
      model,
      dir: join(root, dir),
      steps: UPDATES,
      report: { tasks: 1, split: "valid" },
      rewardAll: evenTokens,
      onEvent,
    }),
    dir: join(root, dir),
  });

  async function weightsOf(folder: string): Promise<Float32Array> {
    const opened = await openModel(join(root, folder), { threads: 1 });
    try {
      return opened.weights.flat.slice();
    } finally {
      await opened.close();
    }
  }
  async function episodesOf(run: string): Promise<string[]> {
    const store = openStore(root);
    try {
      const ids: string[] = [];
      for await (const { id } of store.trajectories({ run })) ids.push(id.replace(run, "run"));
      return ids.sort();
    } finally {
      await store.close();
    }
  }
  const distance = (left: Float32Array, right: Float32Array): number =>
    left.reduce((most, value, at) => Math.max(most, Math.abs(value - (right[at] as number))), 0);

  test("it conforms to the protocol", async () => {
    const { url, apiKey } = trainer;
    const { green, results } = await checkTinkerServer({ url, apiKey });
    const others = results.filter(({ outcome }) => outcome !== "passes").map(({ name, note }) => [name, note]);
    expect(others).toEqual([
      ["gspo", "refused with 422"],
      ["dppo", "refused with 422"],
      ["dro", "refused with 422"],
    ]);
    expect(green).toBe(true);
  }, 120_000);

  test.each([
    ["grpo", { klWeight: 0.1, miniBatches: 2, weightDecay: 0.01 }],
    // The default form: the teacher's likeliest words, scored there and learned from there.
    ["opid", { candidates: 32 }],
  ])(
    "%s here and there: after 5 updates the parameters agree to 1e-4",
    async (recipe, given) => {
      const { url, apiKey } = trainer;
      await train(plan(`here-${recipe}`, recipe, given));
      await train({ ...plan(`there-${recipe}`, recipe, given), trainer: { url, apiKey, rank: 0 } });
      const near = await weightsOf(`here-${recipe}/model`);
      expect(distance(near, await weightsOf("tiny"))).toBeGreaterThan(0.02);
      expect(distance(near, await weightsOf(`there-${recipe}/model`))).toBeLessThan(1e-4);
    },
    120_000,
  );

  test("killed in the middle of an update, it is started again and the run ends as an undisturbed one", async () => {
    const { url, apiKey } = trainer;
    const kept = { checkpointEvery: 1, keep: true };
    await train({ ...plan("calm", "grpo", {}), ...kept, trainer: { url, apiKey, rank: 0 } });
    const lives: TorchTrainer[] = [];
    const notes: string[] = [];
    const seen: number[] = [];
    const onEvent = (event: TrainEvent): void => {
      if (event.kind !== "update") return;
      seen.push(event.update);
      // Its checkpoint is about to be saved.
      if (event.update === 2 && lives.length === 1) lives[0]?.kill();
    };
    const start: Parameters<typeof trainOnGpu>[0]["start"] = async (place) => {
      const life = await startTorchTrainer({ ...place, python: torchPython, device: "cpu", more: ["--threads", "1"] });
      lives.push(life);
      return life;
    };
    const onDeath = (why: string): void => void notes.push(why);
    await trainOnGpu({ rank: 0, start, onDeath }, { ...plan("killed", "grpo", {}, onEvent), ...kept });
    expect(lives).toHaveLength(2);
    expect(notes.join()).toContain("SIGKILL");
    // The second was made again, from the checkpoint after the first; no episode is lost or stands twice.
    expect(seen).toEqual([1, 2, 2, 3, 4, 5]);
    expect(await episodesOf("killed")).toEqual(await episodesOf("calm"));
    expect(distance(await weightsOf("calm/model"), await weightsOf("killed/model"))).toBeLessThan(1e-6);
  }, 180_000);

  test("a model that cannot be served is told before anything is trained", async () => {
    const gone = { model: join(root, "none"), checkpoints: join(root, "c"), python: torchPython, device: "cpu" };
    await expect(startTorchTrainer(gone)).rejects.toMatchObject({
      code: "trainer-died",
      message: expect.stringContaining("has no config.json") as string,
    });
  }, 120_000);
});

test.each([
  [["--device", "cpu"], "--device is for --gpu"],
  [["--gpu", "--trainer", "http://there"], "leave out --trainer"],
  [["--gpu", "--base-model", "tiny"], "leave out --base-model"],
])("its options go together, and not with a trainer that is there already: %j", async (words, message) => {
  const { code, err } = await limbeck(["train", ...words]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

const facts = { version: "3.12.0", enough: true, missing: [], cuda: true };
test.each([
  [{ cuda: false }, "cuda", /PyTorch of "py" sees no GPU.*--device cpu/],
  [{ cuda: false }, "cuda:1", /sees no GPU/],
  [{ enough: false, version: "3.8.1" }, "cpu", /is Python 3\.8\.1; the trainer needs 3\.10/],
  [{ missing: ["torch"] }, "cuda", /lacks torch\. Install with/],
])("where Python says %j, the device %s is refused, whatever this machine has", async (said, device, refusal) => {
  await expect(checkPython("py", device, async () => ({ ...facts, ...said }))).rejects.toThrow(refusal);
});
test.each([
  [{ cuda: false }, "cpu"],
  [{ cuda: true }, "cuda"],
])("where Python says %j, the device %s is taken", async (said, device) => {
  await expect(checkPython("py", device, async () => ({ ...facts, ...said }))).resolves.toBeUndefined();
});

test("a Python that is none, or lacks packages, is told with the way out", async () => {
  const place = { model: "m", checkpoints: "c", device: "cpu" };
  await expect(startTorchTrainer({ ...place, python: "no-such-python" })).rejects.toMatchObject({ code: "bad-option" });
  await expect(startTorchTrainer({ ...place, python: process.execPath })).rejects.toThrow(
    /does not run as Python.*--python/s,
  );
});
