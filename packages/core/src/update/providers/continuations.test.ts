import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("values of states are mean discounted returns; actions are worth their reward and the next state", async () => {
  // Always east: from room 1 the reward 1 comes with the second step, from room 2 with the first. gamma is 0.9.
  const { batch, cost, metrics } = await tryProvider("continuations", {
    credit: "mc-critic",
    script: () => "go east",
    size: 1,
    given: { "continuations.count": 3 },
  });
  const [first, second] = batch.rows.map(({ signals }) => signals);
  expect(first?.stateValue?.before).toBeCloseTo(0.9, 12);
  expect(second?.stateValue?.before).toBeCloseTo(1, 12);
  expect(first?.actionValue).toBeCloseTo(0.9, 12);
  expect(second?.actionValue).toBeCloseTo(1, 12);
  expect(metrics).toMatchObject({ "continuations/states": 2, "continuations/lost": 0 });
  // One step to come to the second state; then three times two steps from the first and one from the second.
  expect(cost.environmentSteps).toBe(10);
  expect(cost.sampledTokens).toBeGreaterThan(0);
});

test("random play asks no model", async () => {
  const { batch, cost } = await tryProvider("continuations", {
    credit: "mc-critic",
    given: { "continuations.by": "random", "continuations.count": 2 },
  });
  expect(batch.rows.every(({ signals }) => Number.isFinite(signals?.stateValue?.before))).toBe(true);
  expect(cost.sampledTokens).toBe(0);
  expect(cost.environmentSteps).toBeGreaterThan(0);
});

/** Worth a hundredth for each token that was read. */
const byTokens = (scoreTokens: (contexts: readonly Int32Array[]) => number[]) => ({
  scoreTokens: (contexts: readonly Int32Array[]) => Promise.resolve(scoreTokens(contexts)),
  scoreSteps: () => Promise.resolve([]),
});

test("with a scorer nothing is played: a state is worth what it says of the context before the step", async () => {
  const asked: number[] = [];
  const { batch, cost, metrics } = await tryProvider("continuations", {
    credit: "mc-critic",
    script: () => "go east",
    size: 1,
    given: { "continuations.by": "scorer" },
    outcomeScorer: byTokens((contexts) => {
      asked.push(...contexts.map(({ length }) => length));
      return contexts.map(({ length }) => length / 100);
    }),
  });
  const [first, second] = batch.rows.map(({ signals }) => signals);
  expect(asked).toEqual(batch.steps.map(({ span }) => span?.start));
  expect(first?.stateValue?.before).toBeCloseTo((asked[0] as number) / 100, 12);
  // No reward yet, and 0.9 times the state it led to; the second step ends with reward 1.
  expect(first?.actionValue).toBeCloseTo((0.9 * (asked[1] as number)) / 100, 12);
  expect(second?.actionValue).toBeCloseTo(1, 12);
  expect(cost).toMatchObject({ environmentSteps: 0, sampledTokens: 0 });
  // A success pays 1 here; where it pays more, so does the hope of it.
  const ten = await tryProvider("continuations", {
    credit: "mc-critic",
    script: () => "go east",
    size: 1,
    given: { "continuations.by": "scorer", "continuations.pays": 10 },
    outcomeScorer: byTokens((contexts) => contexts.map(() => 0.5)),
  });
  expect(ten.batch.rows.map(({ signals }) => signals?.stateValue?.before)).toEqual([5, 5]);
  expect(metrics).toMatchObject({ "continuations/states": 2, "continuations/lost": 0 });
});

test("where the scorer fails or says nonsense, the episode's own return stands, and it is counted", async () => {
  const given = { "continuations.by": "scorer", "credit.gamma": 1 };
  const common = { credit: "mc-critic", script: () => "go east", size: 1, given } as const;
  const failing = byTokens(() => {
    throw new Error("out of order");
  });
  const nonsense = byTokens((contexts) => contexts.map(() => Number.NaN));
  for (const outcomeScorer of [failing, nonsense]) {
    const { batch, metrics } = await tryProvider("continuations", { ...common, outcomeScorer });
    expect(batch.rows.map(({ signals }) => signals?.stateValue?.before)).toEqual([1, 1]);
    expect(metrics["continuations/lost"]).toBe(2);
  }
  await expect(tryProvider("continuations", common)).rejects.toThrow("continuations.by=scorer needs a trained scorer");
});
