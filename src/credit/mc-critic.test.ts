import { expect, test } from "vitest";
import { answers, episodes, rowAdvantages } from "../../test/support/credit.ts";
import { mcCritic, mixedValue } from "./mc-critic.ts";

const step = (reward: number, before: number, fields: object = {}) => ({
  reward,
  signals: { stateValue: { before } },
  ...fields,
});

test("turn-level differences of Monte Carlo values", () => {
  // 0 + 0.9 * 0.4 - 0.7 = -0.34    1 + 0 - 0.4 = 0.6
  const batch = episodes({ X: { outcome: 1, steps: [step(0, 0.7), step(1, 0.4)] } });
  expect(rowAdvantages(mcCritic, batch)).toEqual([-0.34, 0.6]);
  // lambda 0.5: -0.34 + 0.9 * 0.5 * 0.6 = -0.07.
  expect(rowAdvantages(mcCritic, batch, { lambda: 0.5 })).toEqual([-0.07, 0.6]);
});

test("beside a learned critic", () => {
  // 0.1 * 0.5 + 0.9 * 0.7 = 0.68.
  const row = { mask: Uint8Array.of(0, 1), values: Float64Array.of(9, 0.5), signals: { stateValue: { before: 0.7 } } };
  expect(mixedValue(row, 0.9)).toBeCloseTo(0.68, 12);
  const batch = episodes({ X: { outcome: 1, steps: [step(1, 0.7, { values: [0.5] })] } });
  expect(rowAdvantages(mcCritic, batch, { mix: 0.9 })).toEqual([0.32]);
  expect(() => rowAdvantages(mcCritic, episodes({ X: { outcome: 1, steps: [step(1, 0.7)] } }), { mix: 0.9 })).toThrow(
    /value estimate/,
  );
});

test("cut off: what the last state is worth", () => {
  // 0 + 0.9 * 0.5 - 0.7.
  const batch = episodes({
    X: { outcome: 0, steps: [{ reward: 0, signals: { stateValue: { before: 0.7, after: 0.5 } } }] },
  });
  expect(rowAdvantages(mcCritic, batch)).toEqual([-0.25]);
});

const acts = (...values: number[]) =>
  answers(
    values.map(() => 0),
    values.map((actionValue) => ({ state: "s", signals: { actionValue, legalValues: [0.1, 0.3, 0.2, 0.6] } })),
  );

test("values of actions, among those sampled in one state", () => {
  // 0.2, 0.6, 0.4: mean 0.4, std 0.2; 0.2 / 0.200001 = 0.999995.
  expect(rowAdvantages(mcCritic, acts(0.2, 0.6, 0.4), { form: "grpo" })).toEqual([-0.999995, 0.999995, 0]);
});

test("all did the same: against all legal actions", () => {
  // Mean 0.3, squares 0.04 + 0 + 0.01 + 0.09 = 0.14, / 3, std 0.216025: 0.3 / 0.216025 = 1.388730.
  expect(rowAdvantages(mcCritic, acts(0.6, 0.6), { form: "grpo" })).toEqual([1.38873, 1.38873]);
  expect(rowAdvantages(mcCritic, acts(0.6), { form: "grpo" })).toEqual([1.38873]);
});

test("one legal action, or equal ones, give 0", () => {
  const forced = (legalValues: number[]) => answers([0], [{ state: "s", signals: { actionValue: 0.6, legalValues } }]);
  expect(rowAdvantages(mcCritic, forced([0.6]), { form: "grpo" })).toEqual([0]);
  expect(rowAdvantages(mcCritic, forced([0.5, 0.5]), { form: "grpo" })).toEqual([0]);
});
