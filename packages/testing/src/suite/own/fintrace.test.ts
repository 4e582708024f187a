import { expect, test } from "vitest";
import { AXES } from "../graders/trace-axes.ts";
import { asked } from "../../../../../test/support/asked-suite.ts";
import { finTrace } from "./fintrace.ts";

test("each planted fault lowers its own axis and no other; by the outcome only those of the output are found", async () => {
  const { report, episodes } = await asked(finTrace("axes"), "perfect");
  expect(report).toMatchObject({ unscored: 0, accuracy: { mean: 1 } });
  expect(Object.keys(report.buckets).sort()).toEqual(["none", ...AXES].sort());
  // The measures themselves, of every episode.
  for (const { item, parts } of episodes) {
    const values = JSON.parse(parts["trace-axes"]?.why ?? "{}") as Record<string, number>;
    const low = AXES.filter((axis) => (values[axis] ?? 0) < 1);
    expect(low).toEqual(AXES.filter((axis) => item.id.startsWith(`${axis}/`)));
  }
  const { buckets } = (await asked(finTrace("outcome"), "perfect")).report;
  const found = Object.fromEntries(Object.entries(buckets).map(([name, { accuracy }]) => [name, accuracy?.mean]));
  expect(found).toEqual({ none: 1, actions: 0, efficiency: 0, process: 0, output: 1 });
});
