import { expect, test } from "vitest";
import { ema } from "./ema.ts";
import { scoredWith, taughtModel } from "../../../../test/support/taught-model.ts";

test("it moves towards the policy after every update", () => {
  const model = taughtModel([1, 2]);
  const start = taughtModel([0, 4]).weights;
  const teacher = ema.create(model, { start, decay: 0.75 });
  expect(scoredWith(teacher)).toEqual([0, 4]);
  // 0.75 * 0 + 0.25 * 1 = 0.25; 0.75 * 4 + 0.25 * 2 = 3.5. Then 0.75 * 0.25 + 0.25 = 0.4375; 0.75 * 3.5 + 0.5 = 3.125.
  teacher.learned();
  expect(scoredWith(teacher)).toEqual([0.25, 3.5]);
  teacher.learned();
  expect(scoredWith(teacher)).toEqual([0.4375, 3.125]);
  expect([...(teacher.state?.flat ?? [])]).toEqual([0.4375, 3.125]);
  // The start itself is not touched: another teacher may need it.
  expect([...start.flat]).toEqual([0, 4]);
});

test("a decay that never moves or explodes is refused", () => {
  const model = taughtModel([1]);
  for (const decay of [1, -0.1, Number.NaN]) {
    expect(() => ema.create(model, { start: model.weights, decay })).toThrow(/decay is .*from 0 to below 1/);
  }
});
