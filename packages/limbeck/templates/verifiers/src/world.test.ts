/** npm test: what comes out of Python is a world that keeps its promises. Needs python3. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRng } from "limbeck";
import { checkEnv } from "limbeck/testing";
import world from "./world.ts";

test("the same task gives the same texts, forks stay apart, and the end is the end", async () => {
  const candidates = (): readonly string[] => ["1", "2", "3"];
  // Whatever is said is an answer: nothing is refused.
  await checkEnv(await world.create(), { candidates, invalidActions: [], runs: 5 });
});

test("the expert wins every task", async () => {
  const env = await world.create();
  const expert = world.demonstrators?.["expert"];
  assert.ok(expert);
  for await (const task of env.tasks("valid")) {
    const episode = await env.open(task);
    const shown = expert.start(task, createRng(0));
    await episode.step(shown.next({ action: undefined, observation: episode.observation }));
    assert.equal(episode.success, true, task.id);
    await episode.close();
  }
});

test("the second chance is worth a half", async () => {
  const env = await world.create();
  for await (const task of env.tasks("train", { count: 1 })) {
    const episode = await env.open(task);
    assert.equal((await episode.step("9")).observation, "No. Try once more.");
    assert.deepEqual((await episode.step("0")).reward, { kind: "scored", value: 0.5 });
  }
});
