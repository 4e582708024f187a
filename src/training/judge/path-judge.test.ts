import { expect, test } from "vitest";
import { runJudging } from "./registry.ts";

test("a judge of the path tells in which order it went; a judge of the final state cannot", async () => {
  const { path, finalState } = await runJudging("path-judge", { walks: 120, heldOut: 60 }, 7);
  expect(path).toBeGreaterThan(0.9);
  expect(finalState).toBeLessThan(0.7);
}, 120_000);
