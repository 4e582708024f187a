import { describe, expect, test } from "vitest";
import { tries } from "../../../test/support/thorough.ts";
import type { Task } from "../../trajectory/index.ts";
import { HOSTILE_ACTIONS } from "../check-play.ts";
import { envContract } from "../env.contract.ts";
import { shop } from "./index.ts";

envContract({
  name: "shop",
  env: () => shop.create({ products: 200, preset: "webshop" }),
  runner: { describe, test },
  runs: tries(5, 25),
});
envContract({
  name: "shop, OPID's preset",
  env: () => shop.create({ products: 60, seed: 2, preset: "opid" }),
  runner: { describe, test },
  runs: tries(2, 8),
});

test("hostile words in a search or click form are answered on every kind of page", async () => {
  const env = await shop.create({ products: 50, preset: "webshop" });
  const [task] = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const episode = await env.open(task!);
  const asin = (await episode.step("search[tea shoes lamp oil]")).observation.match(/B0\w{8}/)![0];
  const pages = [await env.open(task!), episode, await episode.fork(), await episode.fork()];
  await pages[2]!.step(`click[${asin}]`);
  await pages[3]!.step(`click[${asin}]`);
  await pages[3]!.step("click[features]");
  for (const page of pages) {
    for (const text of HOSTILE_ACTIONS) {
      const fork = await page.fork();
      expect((await fork.step(`click[${text}]`)).valid).toBe(false);
      const result = await (await page.fork()).step(`search[${text}]`);
      expect(result.observation).not.toContain("\u001b");
    }
  }
});

test("thousands of open episodes share all but their place", async () => {
  const env = await shop.create({ products: 100, preset: "webshop" });
  const [task] = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const before = process.memoryUsage().heapUsed;
  const episodes = await Promise.all(
    Array.from({ length: tries(2_000, 10_000) }, async () => {
      const episode = await env.open(task!);
      await episode.step("search[tea]");
      return episode;
    }),
  );
  const bytesEach = (process.memoryUsage().heapUsed - before) / episodes.length;
  // 2 GB for 10,000 would be 200,000 bytes each; garbage of the steps is counted here too.
  expect(bytesEach).toBeLessThan(50_000);
  expect(episodes.every(({ ending }) => ending === undefined)).toBe(true);
});
