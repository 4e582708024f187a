/** npm test: the world keeps its promises, and its expert wins. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRng } from "limbeck";
import { checkEnv } from "limbeck/testing";
import world from "./world.ts";

test("the same task gives the same texts, forks stay apart, and the end is the end", async () => {
  await checkEnv(await world.create(), { runs: 10 });
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

test("what is not understood is refused", async () => {
  const env = await world.create();
  for await (const task of env.tasks("train", { count: 1 })) {
    const { valid } = await (await env.open(task)).step("open the door");
    assert.equal(valid, false);
  }
});
