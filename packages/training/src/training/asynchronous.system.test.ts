import { join } from "node:path";
import { expect, test } from "vitest";
import { asynchronousPlans } from "../../../../test/support/asynchronous-training.ts";
import { openModel } from "limbeck-policy/policy/local/open-model";
import type { TrainEvent } from "./events.ts";
import { train } from "./train.ts";

const plan = asynchronousPlans();

async function weightsOf(dir: string): Promise<Float32Array> {
  const opened = await openModel(join(dir, "model"), { threads: 1 });
  try {
    return opened.weights.flat.slice();
  } finally {
    await opened.close();
  }
}

test("with a lag of 0, played in a thread, the parameters are those of synchronous training, bit for bit", async () => {
  const [here, apart] = [await plan("here"), await plan("apart")];
  await train(here);
  await train({ ...apart, lag: 0 });
  expect(await weightsOf(apart.dir)).toEqual(await weightsOf(here.dir));
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
