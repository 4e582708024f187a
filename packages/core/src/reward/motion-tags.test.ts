import { expect, test } from "vitest";
import { totals, withActions } from "../../../../test/support/reward.ts";
import { motionTags } from "./motion-tags.ts";

const data = {
  tracks: {
    ball: [
      [0, 0],
      [3, 0],
      [3, 4],
      [3, 4],
    ],
  },
};
const task = { id: "task-1", env: "toy", seed: 1, goal: "g", split: "train", data };
const say = (...tags: readonly string[]): number | string | undefined =>
  totals(motionTags, [withActions("a", ["look", tags.join(" so ")], { task })])[0];
const tag = (from: number, to: number, direction: string, speed: number, object = "ball"): string =>
  `<motion object="${object}" from="${from}" to="${to}" direction="${direction}" speed="${speed}"/>`;

test("a true tag, and what each untruth costs", () => {
  // From (0, 0) to (3, 0) in one step: right, speed 3.
  expect(say(tag(0, 1, "right", 3))).toBe(1);
  // Wrong direction: (1 + 0 + 1) / 3. Speed 1.5 instead of 3: (1 + 1 + 0.5) / 3.
  expect(say(tag(0, 1, "left", 3))).toBe(0.666666667);
  expect(say(tag(0, 1, "right", 1.5))).toBe(0.833333333);
  // (0, 0) to (3, 4) in two steps: a way of 5, speed 2.5, 53 degrees: nearer to up-right (45) than to up (90).
  expect(say(tag(0, 2, "up-right", 2.5))).toBe(1);
  expect(say(tag(1, 2, "up", 4))).toBe(1);
  expect(say(tag(2, 3, "still", 0))).toBe(1);
});

test("what is not there is worth nothing, and the mean keeps chatter from paying", () => {
  expect(say(tag(0, 1, "right", 3, "cat"))).toBe(0);
  expect(say(tag(1, 0, "left", 3), tag(0, 9, "right", 1))).toBe(0);
  expect(say(tag(0, 1, "right", 3), tag(0, 1, "right", 3, "cat"))).toBe(0.5);
  expect(say("it moves")).toBe(0);
  expect(say('<motion object="ball" from="x" direction="right">', "<motion ".repeat(20_000))).toBe(0);
});

test("weights, tracks given from outside, and none", () => {
  const own = [withActions("a", [tag(0, 1, "left", 3)], { task })];
  expect(totals(motionTags, own, { grounding: 0, speed: 0 })).toEqual([0]);
  expect(() => totals(motionTags, own, { grounding: 0, direction: 0, speed: 0 })).toThrow(
    "grounding of motion-tags is 0; it takes a number above 0",
  );
  const bare = withActions("a", [tag(0, 1, "up", 1)]);
  expect(totals(motionTags, [bare])).toEqual(["unscored: nobody gave its tracks"]);
  expect(
    totals(
      motionTags,
      [bare],
      {},
      {
        givens: {
          gold: () => ({
            value: {
              ball: [
                [0, 0],
                [0, 1],
              ],
            },
          }),
        },
      },
    ),
  ).toEqual([1]);
  expect(totals(motionTags, [withActions("b", [], { task })])).toEqual(["unscored: it has no steps"]);
});
