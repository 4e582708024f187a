import { expect, test } from "vitest";
import { finished, scoreOf } from "../../../../../test/support/finished-episode.ts";

test("the world's word, and nothing where it has none", async () => {
  expect(await scoreOf("outcome", finished(["done"], undefined, true))).toBe(1);
  expect(await scoreOf("outcome", finished(["done"], undefined, false))).toBe(0);
  expect(await scoreOf("outcome", finished(["done"]))).toContain("does not say");
});
