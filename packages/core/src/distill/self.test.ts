import { expect, test } from "vitest";
import { self } from "./self.ts";
import { taughtModel } from "../../../../test/support/taught-model.ts";

test("it is the policy, before and after it has learned", () => {
  const model = taughtModel([1, 2]);
  const teacher = self.create(model);
  expect(teacher.scorer).toBe(model);
  teacher.learned();
  expect(teacher.scorer).toBe(model);
  expect(teacher.state).toBeUndefined();
});
