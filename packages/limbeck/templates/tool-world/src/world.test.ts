/** npm test: the world keeps its promises, and its expert wins. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRng } from "limbeck";
import { callAction } from "limbeck/env";
import { checkEnv } from "limbeck/testing";
import { callTool } from "./tools.ts";
import world from "./world.ts";

test("the same task gives the same texts, forks stay apart, and the end is the end", async () => {
  const candidates = (): readonly string[] => [
    callAction("count", { item: "lamp" }),
    callAction("ship", { item: "lamp", pieces: 1 }),
  ];
  await checkEnv(await world.create(), { candidates, runs: 10 });
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

test("a tool refuses what it cannot do and changes nothing", () => {
  const shelves = { lamp: 2 };
  assert.deepEqual(callTool("ship", { item: "lamp", pieces: 3 }, shelves), {
    ok: false,
    text: "Only 2 pieces are there.",
    shelves,
  });
  assert.equal(callTool("sell", {}, shelves).ok, false);
  assert.deepEqual(callTool("ship", { item: "lamp", pieces: 2 }, shelves).shelves, { lamp: 0 });
});
