import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";
import { createTools } from "limbeck-worlds/tools/tools-env";
import { DEMONSTRATORS } from "limbeck-worlds/tools/expert";

test("calls are read from actions, and references from the demonstrator", async () => {
  const call = '{"name": "get_order", "arguments": {"order_id": "W1"}}';
  const { batch, metrics } = await tryProvider("tool-references", {
    credit: "matchtir",
    env: createTools({ opening: "dialogue", maxSteps: 30 }),
    demonstrator: Object.values(DEMONSTRATORS)[0],
    script: ({ index }) => (index === 0 ? call.slice(0, 16) : "Hello there."),
    size: 1,
    given: { maxSteps: 3 },
  });
  const gold = batch.rows[0]?.signals?.goldCalls ?? [];
  expect(gold.every(({ name }) => typeof name === "string")).toBe(true);
  expect(batch.rows.every(({ signals }) => signals?.goldCalls === gold || signals?.goldCalls !== undefined)).toBe(true);
  // What was cut off is no call.
  expect(batch.rows[0]?.signals?.calls).toEqual([]);
  expect(metrics["tool-references/calls"]).toBe(0);
});

test("a world without tools is refused by name, with a way out", async () => {
  await expect(tryProvider("tool-references", { credit: "matchtir" })).rejects.toThrow(
    'The world "corridor" has no tools, so there are no reference calls to match (toolCalls). Use --env tools',
  );
});
