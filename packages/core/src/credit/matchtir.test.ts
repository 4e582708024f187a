import { expect, test } from "vitest";
import { assign, episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { callSimilarity } from "limbeck-base/trajectory/call-similarity";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { matchRewards, matchtir } from "./matchtir.ts";

const call = (name: string, given: Record<string, string | number> | null) => ({ name, arguments: given });
const gold = call("search", { query: "mug", k: 2 });
const options = { matching: "greedy", unmatched: 0, regularisation: 0.1 };

test("similarity of calls", () => {
  // Names shared, one value wrong: (1 + 1 + 1) / 4. Only query: (1 + 1/2 + 1) / 4.
  expect(callSimilarity(call("Search", { query: "mug", k: 3 }), gold)).toBe(0.75);
  expect(callSimilarity(call("search", { query: "mug" }), gold)).toBe(0.625);
  expect(callSimilarity(call("buy", { query: "mug", k: 2 }), gold)).toBe(0);
  expect(callSimilarity(call("search", null), gold)).toBe(0);
  // Two empty lists are equal: (1 + 1 + 0) / 2. One empty: (1 + 0 + 0) / 4.
  expect(callSimilarity(call("list", {}), call("list", {}))).toBe(1);
  expect(callSimilarity(call("search", {}), gold)).toBe(0.25);
});

test("matching: greedy as published, optimal, or by transport", () => {
  const golds = [call("f", { w: 1, x: 1 }), call("f", { x: 1, a: 1, b: 1, c: 1 })];
  const calls = [call("f", { w: 1, x: 1, a: 1, b: 1 }), call("f", { w: 1, x: 2 })];
  // First call: (1 + 2/4 + 2) / 4 = 0.875 and (1 + 3/5 + 3) / 6 = 0.766667. Second: (1 + 1 + 1) / 4 = 0.75 and
  // (1 + 1/5 + 0) / 6 = 0.2. Greedy takes 0.875 and leaves 0.2; the other way gives 1.516667.
  expect(matchRewards(calls, golds, options).map(round)).toEqual([0.875, 0.2]);
  expect(matchRewards(calls, golds, { ...options, matching: "optimal" }).map(round)).toEqual([0.766667, 0.75]);
  // One call and one reference: all mass on their similarity.
  expect(
    matchRewards([call("search", { query: "mug" })], [gold], { ...options, matching: "transport" })[0],
  ).toBeCloseTo(0.625, 12);
});

test("a call that cannot be read is left out, matched with nothing and counted nowhere", () => {
  const wanted = call("search", { query: "mug", k: 2 });
  const turn = (...calls: ReturnType<typeof call>[]) => ({ signals: { calls, goldCalls: [wanted] } });
  const batch = episodes({
    X: { outcome: 0, steps: [turn(wanted, call("search", null))] },
    Y: { outcome: 0, steps: [turn(call("search", { query: "mug", k: 3 }))] },
  });
  // Turn rewards 1 and 0.75, so X is the better one; counted, X would have 0.5.
  expect(assign(matchtir, batch).metrics["meanTurnReward"]).toBe(0.875);
  expect(rowAdvantages(matchtir, batch)[0]).toBeGreaterThan(0);
});

test("a call too many has no partner", () => {
  expect(matchRewards([gold, gold], [gold], options)).toEqual([1, 0]);
  expect(matchRewards([gold, gold], [gold], { ...options, unmatched: -0.5 })).toEqual([1, -0.5]);
  // Mass 1/2 each: both earn half.
  const soft = matchRewards([gold, gold], [gold], { ...options, matching: "transport" });
  expect(soft.map(round)).toEqual([0.5, 0.5]);
  expect(matchRewards([gold], [], options)).toEqual([0]);
  expect(matchRewards([gold], [], { ...options, matching: "transport" })).toEqual([0]);
});

test("half the trajectory, half the turn", () => {
  const turn = (given: ReturnType<typeof call>[], fields: object = {}) => ({
    gold: "red mug",
    signals: { calls: given, goldCalls: [gold], ...fields },
  });
  const batch = episodes({
    X: { outcome: 0, steps: [turn([call("search", { query: "mug", k: 3 })]), turn([], { answer: "red mug" })] },
    Y: { outcome: 0, steps: [turn([call("search", { query: "cup" })]), turn([], { answer: "no idea" })] },
  });
  // X: rewards 0.75 and 1, returns 1.65 and 1. Y: (1 + 1/2 + 0) / 4 = 0.375 and 0. Two of each: all z +- 0.7071.
  const found = rowAdvantages(matchtir, batch);
  for (const [at, sign] of [1, 1, -1, -1].entries()) expect(found[at]).toBeCloseTo(sign * 0.707106, 5);
  expect(assign(matchtir, batch).metrics["meanTurnReward"]).toBeCloseTo((0.75 + 1 + 0.375) / 4, 12);
});

test("a reference answer may be a number; without one no answer is right", () => {
  const turn = (gold: number | null) => ({ gold, signals: { calls: [], goldCalls: [], answer: "42" } });
  const batch = (gold: number | null) => episodes({ X: { outcome: 0, steps: [turn(gold)] } });
  expect(assign(matchtir, batch(42)).metrics["meanTurnReward"]).toBe(1);
  expect(assign(matchtir, batch(null)).metrics["meanTurnReward"]).toBe(0);
});

test("alone: raw, or 0", () => {
  const one = episodes({ X: { outcome: 0, steps: [{ signals: { calls: [gold], goldCalls: [gold] } }] } });
  expect(rowAdvantages(matchtir, one)).toEqual([0.999999]);
  expect(rowAdvantages(matchtir, one, { singleton: "zero" })).toEqual([0]);
});

test("a redundant or wrong call stays unmatched and gets less than the right one; the order of the reference is nothing", () => {
  const [find, pay] = [call("search", { query: "mug", k: 2 }), call("pay", { sum: 3 })];
  const steps = (golds: readonly object[], ...calls: readonly object[]) => ({
    outcome: 0,
    steps: calls.map((own) => ({ signals: { calls: [own], goldCalls: [...golds] } })) as never,
  });
  const made = { right: [find, pay], redundant: [find, find], wrong: [find, call("sing", {})] } as const;
  const batch = (...golds: readonly object[]) =>
    episodes(Object.fromEntries(Object.entries(made).map(([name, calls]) => [name, steps(golds, ...calls)])));
  // First turns earn 1 each; second turns 1, 0, 0: z of the last column is 1.1547, -0.57735, -0.57735.
  const { terms } = assign(matchtir, batch(find, pay));
  const turn = Array.from(terms["turn"]!.perRow!, (value) => Number(value.toFixed(4)));
  expect([turn[1], turn[3], turn[5]]).toEqual([1.1547, -0.5773, -0.5773]);
  const [right, redundant, wrong] = [1, 3, 5].map((at) => rowAdvantages(matchtir, batch(find, pay))[at] as number);
  expect(right).toBeGreaterThan(redundant as number);
  expect(redundant).toBe(wrong);
  expect(rowAdvantages(matchtir, batch(pay, find))).toEqual(rowAdvantages(matchtir, batch(find, pay)));
});

publishedCredit("matchtir", matchtir);
