import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { NEEDS_REDIS, redisThere, startRedis, type TestRedis } from "../../../../../test/support/redis.ts";

let redis: TestRedis | undefined;
beforeAll(async () => {
  if (redisThere) redis = await startRedis();
});
afterAll(() => redis?.close());

test.skipIf(!redisThere)(
  `limbeck fleet shows the queue, with limits, and what is parked (${NEEDS_REDIS})`,
  async () => {
    const words = ["fleet", "--redis", redis?.url ?? "", "--limit", "household=4"];
    const { code, out } = await limbeck(words, {});
    expect(code).toBe(0);
    expect(out).toContain("0 workers");
    expect(out).toMatch(/household\s+protocol 3, 0\.1\s+0\s+0\s+0\s+0\s+\S+\s+4/);
    const { objects } = await limbeck(["fleet", "--json", "--limit", "household=none"], {
      env: { LIMBECK_REDIS: redis?.url ?? "" },
    });
    expect(objects()[0]).toMatchObject({ queues: [{ world: "household", limit: null }], parked: [] });
  },
);

test("an address that is none says what one looks like", async () => {
  const odd = await limbeck(["fleet", "--redis", "http://a"]);
  expect([odd.code, odd.err]).toEqual([2, expect.stringContaining("redis://")]);
  const none = await limbeck(["fleet"]);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining("LIMBECK_REDIS")]);
});
