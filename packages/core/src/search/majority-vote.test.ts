import { expect, test } from "vitest";
import { createSearch } from "./registry.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import { createTinyAgent, createTinyWorld, tinyTask } from "../../../../test/support/tiny-search-world.ts";
import { countVotes } from "./votes.ts";

test("camps by weight, of equals the earlier", () => {
  // Voices 0, 2, 4 mean the same, 1 and 3 too: 3 against 2.
  expect(countVotes([0, 1, 0, 1, 0], [1, 1, 1, 1, 1])).toEqual([
    { first: 0, weight: 3 },
    { first: 1, weight: 2 },
  ]);
  expect(countVotes([0, 1], [1, 1])[0]).toEqual({ first: 0, weight: 1 });
  expect(countVotes([0, 1, 0], [0.2, 0.9, 0.3])[0]).toEqual({ first: 1, weight: 0.9 });
});

const env = createTinyWorld({ a: { a: 0, b: 1 }, b: { a: 0, b: 0 } });

test("whole episodes vote with their last action, whatever the world says of them", async () => {
  const ends = ["a", "b", "B ", "b"];
  const agent = createTinyAgent((observation, label) =>
    observation === "at " ? "a" : (ends[Number(label.slice(5))] ?? "a"),
  );
  const search = createSearch("majority-vote", { n: 4 });
  const { chosen, actions } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, seesOutcome: false });
  // "B " is refused by the world until the episode is cut off, but it means b: three voices of four.
  expect(actions).toEqual(["a", "b"]);
  expect(chosen?.info?.["votes"]).toBe(3);
});

test("a vote before every step", async () => {
  const agent = createTinyAgent((observation, label) =>
    observation === "at " ? ("aba"[Number(label)] ?? "a") : ("bba"[Number(label)] ?? "a"),
  );
  const search = createSearch("majority-vote", { n: 3, over: "step" });
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search });
  expect(result.actions).toEqual(["a", "b"]);
  expect(result.spent).toMatchObject({ modelCalls: 6, envSteps: 2 });
});
