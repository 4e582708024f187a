import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";
import { hasAllWords } from "./answer-clusters.ts";

test("words decide what means the same, not their order or case", () => {
  expect(hasAllWords("go east", "East go")).toBe(true);
  expect(hasAllWords("go", "go east")).toBe(false);
  expect(hasAllWords("go east", "go")).toBe(true);
});

test("episodes that reached the end share a cluster; those that were cut off have none", async () => {
  const { batch, episodes, metrics } = await tryProvider("answer-clusters", { credit: "siop", size: 16 });
  const ended = new Set(episodes.filter(({ ending }) => ending === "terminated").map(({ id }) => id));
  expect(ended.size).toBeGreaterThan(0);
  expect(ended.size).toBeLessThan(16);
  for (const { trajectory, signals } of batch.rows) {
    const { id, before, after } = signals?.cluster ?? { id: "?", before: -1, after: -1 };
    // The scorer finds everything less likely the later it comes.
    expect({ id: id === null, less: before > after }).toEqual({
      id: !ended.has(trajectory),
      less: ended.has(trajectory),
    });
  }
  // Every way ends with the same step east.
  expect(metrics).toMatchObject({ "answer-clusters/clusters": 1, "answer-clusters/answered": ended.size });
});
