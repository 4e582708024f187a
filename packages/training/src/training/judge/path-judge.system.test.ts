import { expect, test } from "vitest";
import { runJudging } from "./registry.ts";

const small = { walks: 600, heldOut: 200 };

test("a judge of the path learns to tell in which order it went; without the order it is no better than the final state", async () => {
  const on = await runJudging("path-judge", small, 7);
  const off = await runJudging("path-judge", { ...small, order: false }, 7);
  expect(on["gain"]).toBeGreaterThan(0.05);
  expect(off["gain"]).toBeLessThan(0.05);
  // The same judge of final states in both. It sees walks that end elsewhere, so that it is better than a coin.
  expect(off["finalState"]).toBe(on["finalState"]);
  expect(on["finalState"]).toBeGreaterThan(0.5);
  // What it was to learn is not given to it: it makes mistakes.
  expect(on["path"]).toBeLessThan(1);
}, 120_000);
