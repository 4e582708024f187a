import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { testTrainer, type TestTrainer } from "../../../../test/support/trainer.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import { openModel } from "limbeck-policy/policy/local/open-model";
import type { TrainEvent } from "./events.ts";
import type { OptionValue } from "limbeck-base/base/option-table";
import type { RecipeId } from "limbeck-core/recipe/registry";
import type { TrainOptions } from "./options.ts";
import { train } from "./train.ts";

let root = "";
let model = "";
let trainer: TestTrainer;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-remote-"));
  model = join(root, "tiny");
  await writeTinyModel(model);
  trainer = await testTrainer({ model });
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface Change {
  readonly recipe?: string;
  readonly given?: Readonly<Record<string, OptionValue>>;
  readonly events?: TrainEvent[];
}

function plan(
  dir: string,
  updates: number,
  { recipe = "grpo", given = {}, events = [] }: Change = {},
): TrainOptions<RecipeId, string> {
  return smallPlan({
    recipe,
    given: { tasks: 1, group: 4, answerTokens: 3, learningRate: 0.01, ...given },
    env: createCorridor({ rooms: 2, maxSteps: 2 }),
    envName: "corridor",
    model,
    dir: join(root, dir),
    steps: updates,
    report: { tasks: 1, split: "valid" },
    rewardAll: evenTokens,
    onEvent: (event) => events.push(event),
  });
}

async function weightsOf(folder: string): Promise<Float32Array> {
  const opened = await openModel(join(root, folder), { threads: 1 });
  try {
    return opened.weights.flat.slice();
  } finally {
    await opened.close();
  }
}

function distance(left: Float32Array, right: Float32Array): number {
  return left.reduce((most, value, at) => Math.max(most, Math.abs(value - (right[at] as number))), 0);
}

test("the same recipe, seed and tasks here and on a trainer: after 20 updates the parameters agree", async () => {
  const given = { klWeight: 0.1, miniBatches: 2, weightDecay: 0.01 };
  await train(plan("here", 20, { given }));
  await train({ ...plan("there", 20, { given }), trainer: { url: trainer.url } });
  const [near, far, start] = [await weightsOf("here/model"), await weightsOf("there/model"), await weightsOf("tiny")];
  expect(distance(near, start)).toBeGreaterThan(0.05);
  expect(distance(near, far)).toBeLessThan(1e-4);
});

test("a run that is taken up again on the trainer ends where an uninterrupted one does", async () => {
  const away = { trainer: { url: trainer.url } };
  await train({ ...plan("whole", 2), ...away });
  await train({ ...plan("halves", 1), ...away });
  const events: TrainEvent[] = [];
  await train({ ...plan("halves", 2, { events }), ...away });
  expect(events[0]).toMatchObject({ kind: "start", from: 1, updates: 2 });
  expect(await weightsOf("halves/model")).toEqual(await weightsOf("whole/model"));
});

test("a trainer that samples ahead: with no lag the very same training, with one at most one update behind", async () => {
  const away = { trainer: { url: trainer.url } };
  await train({ ...plan("in-turns", 3), ...away });
  await train({ ...plan("no-lag", 3), ...away, lag: 0 });
  expect(await weightsOf("no-lag/model")).toEqual(await weightsOf("in-turns/model"));
  const events: TrainEvent[] = [];
  await train({ ...plan("lagging", 4, { events }), ...away, lag: 1 });
  const updates = events.flatMap((event) => (event.kind === "update" ? [event.metrics] : []));
  expect(updates.map((metrics) => metrics["async/lag"])).toEqual([0, 1, 1, 1]);
  expect(updates.map((metrics) => metrics["async/mostStale"])).toEqual([0, 1, 1, 1]);
  expect(distance(await weightsOf("lagging/model"), await weightsOf("tiny"))).toBeGreaterThan(0.01);
});

test("an adapter comes home as an adapter", async () => {
  await train({ ...plan("adapted", 1), trainer: { url: trainer.url, rank: 2 } });
  expect(await readdir(join(root, "adapted", "adapter"))).toEqual(["adapter_config.json", "adapter_model.safetensors"]);
});

test("a frozen teacher on the trainer scores, and then acts with the skills when the training is validated", async () => {
  const events: TrainEvent[] = [];
  const given = { form: "shift", teacher: "reference" };
  const validation = { every: 1, tasks: 1, split: "valid" };
  await train({
    ...plan("probed", 2, { recipe: "opid", given, events }),
    validation,
    trainer: { url: trainer.url, rank: 2 },
  });
  expect(events.filter(({ kind }) => kind === "probe")).toHaveLength(1);
});

test("opid's own form needs distributions; on a trainer without them it takes the shift, and says so once", async () => {
  const events: TrainEvent[] = [];
  await train({ ...plan("shifted", 1, { recipe: "opid", events }), trainer: { url: trainer.url, rank: 2 } });
  const said = events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
  expect(said.filter((message) => message.includes("form=shift"))).toHaveLength(1);
  expect(events.some(({ kind }) => kind === "update")).toBe(true);
});

test("any folder with a tokenizer and a template will do, of whatever kind the trainer's model is", async () => {
  const folder = join(root, "mixture");
  await cp(model, folder, { recursive: true, filter: (path) => !path.endsWith(".safetensors") });
  const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as object;
  const mixture = { ...config, architectures: ["Qwen3MoeForCausalLM"], model_type: "qwen3_moe", num_experts: 8 };
  await writeFile(join(folder, "config.json"), JSON.stringify(mixture));
  const events: TrainEvent[] = [];
  await train({ ...plan("strange", 1, { events }), model: folder, trainer: { url: trainer.url, rank: 2 } });
  expect(events.some(({ kind }) => kind === "update")).toBe(true);
  expect(events[0]).toMatchObject({ kind: "start", parameters: 0 });
  await rm(join(folder, "config.json"));
  const bare: TrainEvent[] = [];
  await train({ ...plan("bare", 1, { events: bare }), model: folder, trainer: { url: trainer.url, rank: 2 } });
  expect(JSON.stringify(bare)).toContain("4096 tokens are assumed");
});

test("what a trainer cannot do is refused by name, before anything is played", async () => {
  const away = { trainer: { url: trainer.url } };
  const average = { ...plan("a", 1, { recipe: "opid", given: { teacher: "ema" } }), ...away };
  await expect(train(average)).rejects.toMatchObject({ code: "needs-unmet" });
  const events: TrainEvent[] = [];
  const entropy = { ...plan("b", 1, { given: { entropyWeight: 0.1 }, events }), ...away };
  await expect(train(entropy)).rejects.toMatchObject({ code: "missing-statistic" });
  expect(events).toEqual([]);
  const heads = { ...plan("d", 1, { events }), credit: "gae", trainer: { url: "http://127.0.0.1:1" } };
  // Nobody is asked first.
  await expect(train(heads as never)).rejects.toMatchObject({
    code: "needs-unmet",
    message: expect.stringContaining("value head"),
  });
  expect(events).toEqual([]);
  const other = { ...plan("c", 1), trainer: { url: trainer.url, baseModel: "huge" } };
  await expect(train(other)).rejects.toMatchObject({ code: "trainer-lacks-model" });
});
