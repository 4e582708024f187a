/** npm test: the world keeps its promises, and the agent works in it with a stub in the place of a model. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRng } from "limbeck";
import { callAction } from "limbeck/env";
import { checkEnv } from "limbeck/testing";
import { runAgent } from "./agent.ts";
import { createStubModel } from "./stub-model.ts";
import world from "./world.ts";

test("the same task gives the same texts, forks stay apart, and the end is the end", async () => {
  const candidates = (): readonly string[] => [
    callAction("lookup", { order: "A100" }),
    callAction("refund", { order: "A100", cents: 200 }),
  ];
  await checkEnv(await world.create(), { candidates, runs: 10 });
});

test("the agent does the tasks in which it looks the order up", async () => {
  const env = await world.create();
  const model = createStubModel();
  const done: boolean[] = [];
  for await (const task of env.tasks("valid", { count: 4 })) done.push(await runAgent(model, env, task));
  // A800 and A802 are looked up; A801 and A803 cost 100 and 300 cents, and the stub guesses 500.
  assert.deepEqual(done, [true, false, true, false]);
});

test("the expert wins every task", async () => {
  const env = await world.create();
  const expert = world.demonstrators?.["expert"];
  assert.ok(expert);
  for await (const task of env.tasks("valid", { count: 20 })) {
    const episode = await env.open(task);
    const shown = expert.start(task, createRng(0));
    let action: string | undefined;
    while (episode.ending === undefined) {
      action = shown.next({ action, observation: episode.observation });
      await episode.step(action);
    }
    assert.equal(episode.success, true, task.id);
    await episode.close();
  }
});
