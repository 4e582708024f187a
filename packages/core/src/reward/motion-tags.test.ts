import { expect, test } from "vitest";
import { published } from "../../../../test/support/published.ts";
import { totals, withActions } from "../../../../test/support/reward.ts";
import { motionBins, partCredit } from "./motion-bins.ts";
import { motionTags } from "./motion-tags.ts";

const boxed = (tracks: Readonly<Record<string, readonly (readonly number[])[]>>) => ({
  id: "task-1",
  env: "toy",
  seed: 1,
  goal: "g",
  split: "train",
  data: { tracks: tracks as never },
});
// 30 by 40: a diagonal of 50. In two seconds 6 to the right and 8 up: a way of 10, 0.1 diagonals a second.
const ball = [
  [0, 100, 30, 140],
  [3, 96, 33, 136],
  [6, 92, 36, 132],
];
const at = (time: number, object = "ball"): string => `<obj>${object}</obj><box>[1,2,3,4]</box>at<t>${time}</t>s`;
const motion = (dir: string, speed: string, scale: string, object = "ball"): string =>
  `<motion obj="${object}" dir="${dir}" speed="${speed}" scale="${scale}"/>`;
const told = (...parts: readonly string[]): number | string | undefined =>
  totals(motionTags, [withActions("a", ["look", parts.join(" ")], { task: boxed({ ball }) })], { fps: 1 })[0];

test("bins: 0.4 for direction, 0.3 for speed, 0.3 for scale; half of it for the bin beside", () => {
  const claims = `${at(0)} then ${at(2)}`;
  expect(motionBins([0, 100, 30, 140], [6, 92, 36, 132], 2)).toEqual({
    direction: "NE",
    speed: "moderate",
    scale: "stable",
  });
  expect(told(claims, motion("NE", "moderate", "stable"))).toBe(1);
  // Beside in all three: 0.5. Opposite, two speeds off: 0.3 for the scale alone.
  expect(told(claims, motion("N", "fast", "approaching"))).toBe(0.5);
  expect(told(claims, motion("SW", "stationary", "stable"))).toBe(0.3);
  // Nothing is beside standing still: 0.3 + 0.3.
  expect(told(claims, motion("STAT", "moderate", "stable"))).toBe(0.6);
  expect(
    partCredit(
      { direction: "SE", speed: "fast", scale: "receding" },
      { direction: "E", speed: "slow", scale: "approaching" },
    ),
  ).toEqual({ direction: 0.5, speed: 0, scale: 0 });
});

test("bins: an object counts with claims in two frames, without a whole tag it is worth 0", () => {
  expect(told(motion("NE", "moderate", "stable"))).toBe(0);
  expect(told(at(0), motion("NE", "moderate", "stable"))).toBe(0);
  // Two claims in one frame: 0.1 for having named it. Later than 2 s after the last frame nothing matches.
  expect(told(at(0), at(0.2), motion("NE", "moderate", "stable"))).toBe(0.1);
  expect(told(at(0), at(4), motion("NE", "moderate", "stable"))).toBe(0);
  expect(told(at(0), at(2), '<motion obj="ball" dir="NE" speed="moderate"/>')).toBe(0);
  expect(told(at(0), at(2), motion("NE", "moderate", "stable", "cat"))).toBe(0);
  // The last tag of an object counts; names are compared without case and marks.
  expect(told(at(0, "BALL!"), at(2, "Ball"), motion("W", "slow", "stable"), motion("NE", "moderate", "stable"))).toBe(
    1,
  );
  expect(told(at(0), "<obj>".repeat(20_000), `<motion ${'obj="'.repeat(9_000)}`)).toBe(0);
});

/** Numbers of published code: what it pays for a text about tracks of boxes. */
interface Paid {
  readonly fps: number;
  readonly tracks: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly text: string;
  readonly reward: number;
}

test.each(published<Paid>("motion-tags").cases)(
  "pays what published code pays: $reward at $fps frames a second",
  (known) => {
    const own = withActions("a", [known.text], { task: boxed(known.tracks) });
    expect(totals(motionTags, [own], { fps: known.fps })[0]).toBeCloseTo(known.reward, 6);
  },
);

test("bins need boxes, and a weight", () => {
  const points = withActions("a", ["x"], { task: boxed({ ball: [[0, 0]] }) });
  expect(totals(motionTags, [points])).toEqual(["unscored: its tracks are points; bins need boxes"]);
  expect(() => totals(motionTags, [], { direction: 0, speed: 0, scale: 0 })).toThrow(
    "direction of motion-tags is 0; it takes a number above 0",
  );
});

// The form of our own: all three parts weigh the same.
const NUMBERS = { form: "numbers", grounding: 1, direction: 1, speed: 1 };
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
  totals(motionTags, [withActions("a", ["look", tags.join(" so ")], { task })], NUMBERS)[0];
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
  expect(totals(motionTags, own, { ...NUMBERS, grounding: 0, speed: 0 })).toEqual([0]);
  expect(() => totals(motionTags, own, { form: "numbers", grounding: 0, direction: 0, speed: 0 })).toThrow(
    "grounding of motion-tags is 0; it takes a number above 0",
  );
  const bare = withActions("a", [tag(0, 1, "up", 1)]);
  expect(totals(motionTags, [bare])).toEqual(["unscored: nobody gave its tracks"]);
  expect(
    totals(motionTags, [bare], NUMBERS, {
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
    }),
  ).toEqual([1]);
  expect(totals(motionTags, [withActions("b", [], { task })])).toEqual(["unscored: it has no steps"]);
});
