import { expect, test } from "vitest";
import { errand } from "../../../../test/support/shop-errand.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { shop } from "./index.ts";

test("earns 1.0 on at least 99% of 2,000 generated goals, with no invalid action", async () => {
  const env = await shop.create({ seed: 11, preset: "webshop" });
  let won = 0;
  let count = 0;
  let invalid = 0;
  for (const task of env.tasks("train", { count: 2_000 }) as Iterable<Task>) {
    const { episode, allValid } = await errand(env, task);
    count += 1;
    won += episode.success === true ? 1 : 0;
    invalid += allValid ? 0 : 1;
  }
  expect({ count, invalid }).toEqual({ count: 2_000, invalid: 0 });
  expect(won).toBeGreaterThanOrEqual(1_980);
});
