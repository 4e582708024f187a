import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eastward, threeRooms } from "../../../../test/support/provider-bench.ts";
import { smallPlan } from "../../../../test/support/small-training.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { trainInTurn, type TrainInTurnEvent } from "./in-turn.ts";

const newFolder = temporaryFolders();

async function plan() {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model);
  const given = { tasks: 2, group: 2, answerTokens: 6, learningRate: 0.01 };
  const world = { env: threeRooms(), envName: "corridor", demonstrator: eastward };
  return {
    ...smallPlan({ recipe: "grpo", given, ...world, model, dir: join(root, "turn"), steps: 1 }),
    credit: "rapo",
    report: { tasks: 2 },
  };
}

test("the second task starts from the first one's model, with its statistics, and the first is measured again", async () => {
  const options = await plan();
  const events: TrainInTurnEvent[] = [];
  let [worth, played] = [0, 0];
  const { tasks, kept } = await trainInTurn(
    // Half of the episodes of the first task are worth 1, half of those of the second 3.
    { ...options, reward: () => (played++ % 2 === 0 ? worth : 0) },
    [{ env: threeRooms(), envName: "corridor again", demonstrator: eastward, steps: 2 }],
    (event) => {
      events.push(event);
      if (event.kind === "start") worth = events.some(({ kind }) => kind === "update") ? 3 : 1;
    },
  );
  expect(await readdir(options.dir as string)).toEqual(["1-corridor", "2-corridor"]);
  expect(tasks.map(({ update }) => update)).toEqual([1, 2]);
  const updates = events.flatMap((event) => (event.kind === "update" ? [event.metrics] : []));
  expect(updates.map((metrics) => [metrics["credit/task"], metrics["credit/update"]])).toEqual([
    [1, 1],
    [2, 1],
    [2, 2],
  ]);
  const batches = updates.map((metrics) => metrics["credit/batchDeviation"] as number);
  // The second task begins with the first one's last batch: 0.9 of that stays, then 0.9495 of what lives on.
  const [, began, went] = updates.map((metrics) => metrics["credit/deviation"] as number);
  expect(began).toBeCloseTo(0.9 * (batches[0] as number) + 0.1 * (batches[1] as number), 9);
  expect(went).toBeCloseTo(0.9495 * (began as number) + 0.0505 * (batches[2] as number), 9);
  // Retention counts from the second task on.
  expect(updates.map((metrics) => (metrics["credit/retention"] as number) > 0)).toEqual([false, true, true]);
  const drifts = events.flatMap((event) => (event.kind === "update" ? [event.metrics["credit/drift"]] : []));
  // The policy of the task before is where each training begins.
  expect(drifts.slice(0, 2)).toEqual([expect.closeTo(0, 6), expect.closeTo(0, 6)]);
  expect(kept.map(({ task, after, env, had }) => [task, after, env, had])).toEqual([
    [1, 2, "corridor", tasks[0]?.after.success],
  ]);
  const [left] = kept;
  expect(left?.drop).toBeCloseTo((left?.had ?? Number.NaN) - (left?.evaluation.success ?? Number.NaN), 12);
});

test("a model that lies elsewhere cannot go from task to task", async () => {
  const elsewhere = trainInTurn({ ...(await plan()), lag: 1 }, [{ env: threeRooms() }]);
  await expect(elsewhere).rejects.toThrow(/One task after another \(--next\) is trained here/);
});
