import { expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { GraderTools } from "../grader.ts";
import { anchored } from "./anchored.ts";

const graded = async (price: number | undefined, answer: { at: number; other: number }) => {
  const steps =
    price === undefined
      ? []
      : [{ index: 0, action: "click[buy now]", observation: `Price: $${price}\nBuy Now`, valid: true }];
  const trajectory = { steps } as unknown as Trajectory;
  return (await anchored.grade({ trajectory, answer, prompt: "" }, {}, {} as GraderTools)).score;
};

test.each([
  [10, 1],
  [25, 0.5],
  [40, 0],
  [5, 1],
  [60, 0],
])("$%d between 10 and 40 is %d", async (price, value) => {
  expect(await graded(price, { at: 10, other: 40 })).toEqual({ kind: "scored", value });
  expect(await graded(price, { at: 40, other: 10 })).toEqual({ kind: "scored", value: 1 - value });
});

test("who buys nothing is at neither pole, and poles differ", async () => {
  expect(await graded(undefined, { at: 10, other: 40 })).toEqual({ kind: "scored", value: 0 });
  expect(anchored.check?.({ at: 1, other: 1 }, {})).toContain("one number");
  expect(anchored.check?.({ at: 1 }, {})).toContain("two numbers");
});
