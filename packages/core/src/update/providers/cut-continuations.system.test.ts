import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("prefixes are worth the mean outcome of what follows them", async () => {
  // The fourth letter decides: "go e" goes on as east, "go w" as west. From room 2 with one step left a cut behind it is
  // worth 1 or 0, the prompt about 0.5.
  const { batch, metrics } = await tryProvider("cut-continuations", {
    credit: "spo-chain",
    size: 4,
    given: { "cut-continuations.count": 60, "cut-continuations.every": 1, "cut-continuations.most": 4 },
  });
  for (const { signals } of batch.rows) {
    expect(signals?.cuts?.[0]?.token).toBe(-1);
    expect(signals?.cuts?.every(({ value }) => value >= 0 && value <= 1)).toBe(true);
  }
  const last = batch.rows.filter(({ step, state }) => step === 3 && state === "room 2");
  expect(last.length).toBeGreaterThan(0);
  // Standard error of 60 draws is 0.065.
  for (const { signals } of last) expect(Math.abs((signals?.cuts?.[0]?.value ?? 0) - 0.5)).toBeLessThan(0.25);
  expect(metrics["cut-continuations/lost"]).toBe(0);
});
