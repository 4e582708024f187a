/** npm test: the world keeps its promises over HTTP, and a service that is lost is no failure of the agent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRng } from "limbeck";
import { checkEnv } from "limbeck/testing";
import { startService } from "./server.ts";
import world from "./world.ts";

test("the same task gives the same texts, forks stay apart, and the end is the end", async () => {
  await checkEnv(await world.create(), { runs: 5 });
});

test("the expert wins every task", async () => {
  const env = await world.create();
  const expert = world.demonstrators?.["expert"];
  assert.ok(expert);
  for await (const task of env.tasks("valid", { count: 12 })) {
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

test("a service that goes away ends the episode as failed, without a reward", async () => {
  const service = await startService();
  const env = await world.create({ url: service.url });
  for await (const task of env.tasks("train", { count: 1 })) {
    const episode = await env.open(task);
    await service.close();
    const { ending, reward, success } = await episode.step("open door 1");
    assert.deepEqual([ending, reward.kind, success], ["failed", "unscored", null]);
  }
});
