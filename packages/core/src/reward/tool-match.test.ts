import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, stepTotals, totals } from "../../../../test/support/reward.ts";
import type { Json, JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { callSimilarity } from "limbeck-base/trajectory/call-similarity";
import { toolMatch } from "./tool-match.ts";

const call = (name: string, args: JsonObject) => ({ name, arguments: args });
const search = call("search", { query: "limbeck", k: 3 });
const open = call("open", { page: 2 });

function trajectory(turns: readonly (readonly Json[])[], gold: JsonObject, last?: string): Trajectory {
  const steps = turns.map((calls, at) => sampleStep(at, { action: JSON.stringify(calls) }));
  const answer = last === undefined ? [] : [sampleStep(turns.length, { action: last })];
  return sampleTrajectory("a", {
    steps: [...steps, ...answer],
    task: { id: "task-1", env: "toy", seed: 1, goal: "g", split: "train", data: gold },
  });
}

test("similarity of two calls", () => {
  // Two gold parameters: (1 + names + values) / 4.
  expect(callSimilarity(search, search)).toBe(1);
  expect(callSimilarity(call("Search", { query: "limbeck", k: 9 }), search)).toBe(0.75);
  // Only the query: names 1 of 2: (1 + 0.5 + 1) / 4
  expect(callSimilarity(call("search", { query: "limbeck" }), search)).toBe(0.625);
  expect(callSimilarity(call("find", { query: "limbeck", k: 3 }), search)).toBe(0);
  // No parameters on either side are equal; on one side only they are not: (1 + 0 + 0) / 2
  expect(callSimilarity(call("stop", {}), call("stop", {}))).toBe(1);
  expect(callSimilarity(call("stop", { now: true }), call("stop", {}))).toBe(0.5);
  expect(callSimilarity({ name: "search", arguments: "{broken" }, search)).toBe(0);
});

test("turns are worth the mean of their matched calls, and the answer its words", () => {
  const gold = { goldCalls: [search, open], goldAnswer: "the old word for a still" };
  const wrong = call("search", { query: "limbeck", k: 9 });
  const own = trajectory([[wrong, call("sing", {})], [open]], gold, "a still");
  // Turn 0: (0.75 + 0) / 2. Turn 1: 1. Answer: words {a, still} of {the, old, word, for, a, still}: 2 * 2 / (2 + 6) = 0.5.
  expect(stepTotals(toolMatch, [own])).toEqual([[0.375, 1, 0.5]]);
  expect(totals(toolMatch, [own])).toEqual([1.875]);
  // A call without a partner costs what was set: (0.75 - 0.5) / 2
  expect(stepTotals(toolMatch, [own], { unmatched: -0.5 })[0]?.[0]).toBe(0.125);
});

test("a right answer that the task holds as a number is its text", () => {
  expect(stepTotals(toolMatch, [trajectory([[open]], { goldCalls: [open], goldAnswer: 42 }, "42")])).toEqual([[1, 1]]);
});

test("a repeated call finds its partner taken", () => {
  expect(stepTotals(toolMatch, [trajectory([[open], [open]], { goldCalls: [open] })])[0]?.toSorted()).toEqual([0, 1]);
});

test("soft: mass instead of partners", () => {
  const own = trajectory([[open], [call("open", { page: 2 })]], { goldCalls: [open] });
  // One gold call, two equal calls: each sends its half of the mass, 0.5 * 1; with fullMass it is worth 1.
  expect(stepTotals(toolMatch, [own], { matching: "soft" })).toEqual([[0.5, 0.5]]);
  expect(stepTotals(toolMatch, [own], { matching: "soft", fullMass: true })).toEqual([[1, 1]]);
});

test("calls of a chat, of givens, and none at all", () => {
  const chat = sampleTrajectory("a", {
    steps: [sampleStep(0, { reply: { role: "assistant", content: "", toolCalls: [{ id: "1", ...open }] } })],
  });
  expect(totals(toolMatch, [chat], {}, { givens: { gold: () => ({ calls: [open] }) } })).toEqual([1]);
  expect(totals(toolMatch, [chat])).toEqual(["unscored: its reference calls are not known"]);
  const none = sampleTrajectory("b", { steps: [] });
  expect(totals(toolMatch, [none], {}, { givens: { gold: () => ({ calls: [] }) } })).toEqual([
    "unscored: it has no steps",
  ]);
});

test("a call that cannot be read is left out; arguments may be the text of an object", () => {
  const broken = { id: "2", name: "open", arguments: "{broken" };
  const turn = (...toolCalls: { id: string; name: string; arguments: JsonObject | string }[]) =>
    sampleTrajectory("a", { steps: [sampleStep(0, { reply: { role: "assistant", content: "", toolCalls } })] });
  const givens = { gold: () => ({ calls: [open] }) };
  for (const matching of ["optimal", "greedy", "soft"])
    expect(totals(toolMatch, [turn({ id: "1", ...open }, broken)], { matching }, { givens })).toEqual([1]);
  const text = JSON.stringify({ name: open.name, arguments: JSON.stringify(open.arguments) });
  const typed = sampleTrajectory("b", { steps: [sampleStep(0, { action: text })] });
  expect(totals(toolMatch, [typed], {}, { givens })).toEqual([1]);
});

test("the order of the reference changes nothing, and no matching beats the optimal one", () => {
  const anyCall = fc.record(
    {
      name: fc.constantFrom("a", "b"),
      arguments: fc.dictionary(fc.constantFrom("x", "y"), fc.integer({ min: 0, max: 1 }), { noNullPrototype: true }),
    },
    { noNullPrototype: true },
  );
  const calls = fc.array(anyCall, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(calls, calls, fc.constantFrom("optimal", "greedy", "soft"), (made, gold, matching) => {
      const turns = made.map((own) => [own]);
      const forward = stepTotals(toolMatch, [trajectory(turns, { goldCalls: gold })], { matching });
      const backward = stepTotals(toolMatch, [trajectory(turns, { goldCalls: gold.toReversed() })], { matching });
      expect(backward).toEqual(forward);
      const by = (other: string) =>
        Number(totals(toolMatch, [trajectory(turns, { goldCalls: gold })], { matching: other })[0]);
      expect(by("optimal")).toBeGreaterThanOrEqual(by("greedy") - 1e-9);
    }),
    { numRuns: 60 },
  );
});
