import { expect, test } from "vitest";
import { reference } from "./reference.ts";
import { scoredWith, taughtModel } from "../../../../test/support/taught-model.ts";

test("it scores with the start, whatever the policy has become", () => {
  const model = taughtModel([1, 2]);
  const start = taughtModel([5, 6]).weights;
  const teacher = reference.create(model, { start, decay: 0 });
  model.weights.flat.fill(9);
  teacher.learned();
  expect(scoredWith(teacher)).toEqual([5, 6]);
  expect(teacher.state).toBeUndefined();
});
