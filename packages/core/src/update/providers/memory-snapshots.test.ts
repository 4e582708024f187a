import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("the first step of an alternative knows its snapshot; nobody else does", async () => {
  const { batch, episodes, metrics } = await tryProvider("memory-snapshots", {
    credit: "logo-grpo",
    strategy: "counterfactual",
    size: 4,
  });
  const alternatives = episodes.filter(({ parent }) => parent !== undefined);
  expect(alternatives.length).toBeGreaterThan(0);
  expect(metrics["memory-snapshots/alternatives"]).toBe(alternatives.length);
  for (const { trajectory, step, signals } of batch.rows) {
    const own = episodes.find(({ id }) => id === trajectory);
    const isFirst = own?.parent !== undefined && own.steps[0]?.index === step;
    expect(signals?.snapshot).toEqual(isFirst ? own.info?.["snapshot"] : undefined);
  }
});
