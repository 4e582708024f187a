import { expect, test } from "vitest";
import { runJudging } from "./registry.ts";

const small = { samples: 150, heldOut: 200, updates: 80 };

test("a judge that is led to what passes finds more held-out bad samples than one that learns as many as they are drawn", async () => {
  const on = await runJudging("principle-rounds", small, 7);
  expect(on["ahead"]).toBeGreaterThan(0.05);
  expect(on["principles"]).toBeGreaterThanOrEqual(2);
  expect(on["passed3"]).toBeGreaterThan(0.9);
  // The hidden checker: against the judge of the beginning what it does not see pays as much as what is right.
  expect(on["hidden"]).toBeGreaterThan(on["hiddenStatic"] as number);
}, 120_000);

test("switched off, it is the control itself", async () => {
  const off = await runJudging("principle-rounds", { ...small, guided: false }, 7);
  expect(off).toMatchObject({ ahead: 0, principles: 0 });
  expect(off["hidden"]).toBe(off["hiddenDrawn"]);
}, 120_000);
