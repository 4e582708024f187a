import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { evenTokens, smallPlan } from "../../test/support/small-training.ts";
import { writeTinyModel } from "../../test/support/tiny-folder.ts";
import type { OptionValue } from "../base/index.ts";
import { getWorld, type Env } from "../env/index.ts";
import type { RecipeId } from "../recipe/index.ts";
import { openModel } from "../policy/local/index.ts";
import type { TrainEvent } from "./events.ts";
import type { TrainOptions } from "./options.ts";
import { train } from "./train.ts";

let root = "";
let model = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-async-"));
  model = join(root, "tiny");
  await writeTinyModel(model, 1, 400);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const world = { id: "household", options: { dial: "tiny" } };

type Options = TrainOptions<RecipeId, string>;

async function plan(dir: string, given: Readonly<Record<string, OptionValue>> = {}): Promise<Options & { env: Env }> {
  const env = await (await getWorld(world.id)).create(world.options);
  return {
    ...smallPlan({
      recipe: "grpo",
      given: { tasks: 2, group: 3, answerTokens: 3, maxSteps: 2, learningRate: 0.01, miniBatches: 2, ...given },
      env,
      envName: "household",
      world,
      model,
      dir: join(root, dir),
      steps: 4,
      rewardAll: evenTokens,
    }),
    env,
  };
}

async function weightsOf(dir: string): Promise<Float32Array> {
  const opened = await openModel(join(root, dir, "model"), { threads: 1 });
  try {
    return opened.weights.flat.slice();
  } finally {
    await opened.close();
  }
}

test("with a lag of 0, played in a thread, the parameters are those of synchronous training, bit for bit", async () => {
  await train(await plan("here"));
  await train({ ...(await plan("apart")), lag: 0 });
  expect(await weightsOf("apart")).toEqual(await weightsOf("here"));
});

test("with a lag of 2 tokens keep their version, and the loss weighs them by how far the policy has gone on", async () => {
  const events: TrainEvent[] = [];
  await train({ ...(await plan("behind")), lag: 2, onEvent: (event) => events.push(event) });
  const updates = events.flatMap((event) => (event.kind === "update" ? [event] : []));
  expect(updates).toHaveLength(4);
  for (const { metrics } of updates) {
    expect(metrics["async/lag"]).toBeLessThanOrEqual(2);
    // Two steps of the optimiser in an update.
    expect(metrics["async/staleness"]).toBe(2 * (metrics["async/lag"] as number));
    // No token is older than the lag allows.
    expect(metrics["async/mostStale"]).toBeLessThanOrEqual(2 * 2);
    expect(metrics["loss/policy/rolloutWeight"]).toBeGreaterThan(0);
  }
  expect(updates.some(({ metrics }) => (metrics["async/lag"] as number) > 0)).toBe(true);
});

test("a thread that cannot begin says why", async () => {
  const broken = { ...(await plan("no-world")), world: { id: "moon", options: {} } };
  await expect(train({ ...broken, lag: 0 })).rejects.toMatchObject({ code: "unknown-name" });
});
