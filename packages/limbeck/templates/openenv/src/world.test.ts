/** npm test: what comes over the wire is a world that keeps its promises. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluate } from "limbeck";
import { checkEnv } from "limbeck/testing";
import { startServer } from "./server.ts";
import world from "./world.ts";

test("the same task gives the same texts, forks stay apart, and the end is the end", async () => {
  const server = await startServer();
  try {
    await checkEnv(await world.create({ url: server.url }), { runs: 3, maxActions: 6 });
  } finally {
    await server.close();
  }
});

test("the bundled model plays on the server", async () => {
  const server = await startServer();
  try {
    const env = await world.create({ url: server.url });
    const { success } = await evaluate({ env, split: "valid", tasks: 4 });
    assert.ok(success !== null && success >= 0 && success <= 1);
  } finally {
    await server.close();
  }
});

test("an address is needed", async () => {
  await assert.rejects(world.create(), /url=ws:/);
});
