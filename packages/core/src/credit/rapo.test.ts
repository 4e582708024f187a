import { expect, test } from "vitest";
import { answers, assign, rowAdvantages } from "../../../../test/support/credit.ts";
import { published } from "../../../../test/support/published.ts";
import { grpo } from "./grpo.ts";
import { rapo } from "./rapo.ts";

const drifted = (drift: number) => ({ logprobs: { old: [-1], previousTask: [-1 - drift] } });
const near = (found: readonly number[], expected: readonly number[], digits = 5) => {
  expect(found).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) expect(found[at]).toBeCloseTo(value, digits);
};
const DRIFTS = [0, 0.02, 0.05, 0.1].map(drifted);

test("what stays near the old policy earns more, failures too, beside their own group", () => {
  // Retention 0.5 exp(-20 d): 0.5, 0.335160, 0.183940, 0.067668, mean 0.271692; (0.5 - 0.271692) / 0.499695 = 0.4569.
  const later = { priorDeviation: 0.5, update: 2 };
  const alike = [0.457, 0.127, -0.176, -0.408];
  near(rowAdvantages(rapo, answers([1, 1, 1, 1], DRIFTS), later), alike, 3);
  near(rowAdvantages(rapo, answers([0, 0, 0, 0], DRIFTS), later), alike, 3);
  // 1.5, 1.335160, 0.183940, 0.067668: mean 0.771692, deviation 0.752; s = 0.999 * 0.5 + 0.001 * 0.752 = 0.500252.
  near(rowAdvantages(rapo, answers([1, 1, 0, 0], DRIFTS), later), [1.456, 1.126, -1.175, -1.407], 3);
});

interface Case {
  readonly update: number;
  readonly prior: number | null;
  readonly last: number | null;
  readonly tasks: readonly string[];
  readonly scores: readonly number[];
  readonly mask: readonly (readonly number[])[];
  readonly old: readonly (readonly number[])[];
  readonly previous: readonly (readonly number[])[];
  readonly advantages: readonly number[];
  readonly deviation: number;
  readonly batchDeviation: number;
  readonly drift: number;
  readonly fallbacks: number;
}

test.each(published<Case>("rapo").cases.map((one, at) => [at, one] as const))("as published: %i", (_, one) => {
  const rows = answers(
    one.scores,
    one.tasks.map((task, at) => ({
      task,
      mask: one.mask[at] ?? [],
      logprobs: { old: one.old[at] ?? [], previousTask: one.previous[at] ?? [] },
    })),
  );
  const { update, prior, last } = one;
  const options = { update, priorDeviation: prior, lastDeviation: last };
  near(rowAdvantages(rapo, rows, options), one.advantages);
  const { metrics } = assign(rapo, rows, options);
  const { deviation, batchDeviation, drift } = metrics;
  near([deviation!, batchDeviation!, drift!], [one.deviation, one.batchDeviation, one.drift]);
  expect([metrics["fallbacks"], metrics["update"]]).toEqual([one.fallbacks, update + 1]);
});

test("the first task of a sequence is compared as in GRPO", () => {
  const batch = answers([1, 0, 0, 0], DRIFTS);
  near(rowAdvantages(rapo, batch, { task: 1, priorDeviation: 0.1 }), rowAdvantages(grpo, batch));
  expect(assign(rapo, batch, { task: 1 }).metrics).toMatchObject({ task: 1, update: 1, batchDeviation: 0.5 });
});

test("without a guard no group falls back", () => {
  const batch = answers([1, 0], [drifted(0), drifted(0)]);
  const options = { priorDeviation: 0.05, memory: 1, update: 2 };
  // 0.5 / 0.05 = 10; its own deviation is 0.707107.
  near(rowAdvantages(rapo, batch, options), [0.707106, -0.707106]);
  near(rowAdvantages(rapo, batch, { ...options, guard: null }), [9.9998, -9.9998]);
});

test("where it is less sure than the earlier policy, it counts as near", () => {
  expect(assign(rapo, answers([1, 1], [drifted(-0.5), drifted(0)])).metrics).toMatchObject({
    drift: 0,
    retention: 0.5,
  });
});

test("a batch of one row says nothing of the deviation", () => {
  const alone = answers([1], [drifted(0)]);
  expect(rowAdvantages(rapo, alone, { priorDeviation: 0.4, update: 3 })).toEqual([0]);
  expect(assign(rapo, alone, { priorDeviation: 0.4, update: 3 }).metrics).toMatchObject({ deviation: 0.4 });
  expect(assign(rapo, alone).metrics).not.toHaveProperty("deviation");
});
