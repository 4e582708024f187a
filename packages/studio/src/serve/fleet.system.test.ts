import { expect, test } from "vitest";
import { NEEDS_REDIS, redisThere, startRedis } from "../../../../test/support/redis.ts";
import { studioClient } from "../../../../test/support/studio-client.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { connectRedis } from "limbeck-remote/fleet/connection";
import { limitWorld, readFleet } from "limbeck-remote/fleet/fleet-state";
import { redisOf } from "limbeck-remote/fleet/queues";

const folder = temporaryFolders();

test("without a Redis server there is no fleet to show", async () => {
  const client = await studioClient({ root: await folder() });
  try {
    expect(await client.ask("fleet")).toEqual({ fleet: null });
  } finally {
    await client.studio.close();
  }
});

test.skipIf(!redisThere)(`shows what limbeck fleet shows, and says when Redis is gone (${NEEDS_REDIS})`, async () => {
  const server = await startRedis();
  const redis = redisOf(await connectRedis(server.url));
  const report = {
    name: "one",
    key: "",
    state: "blocked",
    protocol: 2,
    engine: "0.1.0",
    worlds: { shop: 2 },
    active: 0,
    jobs: 7,
    episodes: 56,
    failed: 1,
    seconds: 30,
    secondsPerJob: 4,
    problem: "The disk is full.",
  };
  await redis.sadd("limbeck:workers", "one");
  await redis.set("limbeck:worker:one", JSON.stringify(report));
  await limitWorld(redis, "shop", 8);
  const client = await studioClient({ root: await folder(), redis: server.url });
  try {
    const { fleet } = await client.ask("fleet");
    expect(fleet).toEqual(await readFleet(redis));
    expect(fleet?.workers).toEqual([report]);
    expect(fleet?.queues).toMatchObject([{ world: "shop", waiting: 0, limit: 8 }]);
    redis.disconnect();
    await server.kill();
    await expect.poll(async () => (await client.fail("fleet")).code).toBe("redis-away");
  } finally {
    await client.studio.close();
    redis.disconnect();
    await server.close();
  }
});

test("an address where no Redis answers is refused before anything is served", async () => {
  await expect(studioClient({ root: await folder(), redis: "http://127.0.0.1:1" })).rejects.toMatchObject({
    code: "bad-option",
  });
});
