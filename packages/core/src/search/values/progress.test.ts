import { expect, test } from "vitest";
import { createSearch } from "../registry.ts";
import { createValue } from "./index.ts";
import { runSearch } from "../../walk/tree/run-search.ts";
import type { Asker } from "../../walk/tree/asker.ts";
import { createTinyAgent, createTinyWorld, tinyTask } from "../../../../../test/support/tiny-search-world.ts";
import { advance } from "./progress.ts";

test("residuals move a value towards 1 or 0 and never past", () => {
  // From 0.5: half of the rest up is 0.75, all of it 1; half of what is there down is 0.25, all of it 0.
  expect([0, 0.5, 1, -0.5, -1].map((delta) => advance(0.5, delta))).toEqual([0.5, 0.75, 1, 0.25, 0]);
});

test("each node adds its progress to its parent's value", async () => {
  const env = createTinyWorld({ a: { a: { a: 0 } } });
  const agent = createTinyAgent(() => "a");
  const said = ['{"progress": 5}', "progress: -5", "nothing to say"];
  const asker: Asker = async () => ({ text: said.shift() ?? "" });
  const search = createSearch("beam", { width: 1, beam: 1 });
  const value = createValue("progress");
  const { root } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value, asker, seesOutcome: false });
  const first = root.children[0];
  const second = first?.children[0];
  // 0.5 + 0.5 * 0.5 = 0.75; 0.75 - 0.5 * 0.75 = 0.375; an answer that says nothing changes nothing.
  expect([first?.estimate, second?.estimate, second?.children[0]?.estimate]).toEqual([0.75, 0.375, 0.375]);
});
