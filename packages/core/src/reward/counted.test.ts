import { expect, test } from "vitest";
import { plain, sampleStep, sampleTrajectory } from "../../../../test/support/reward.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";
import { countedName, countedRewards, type Counting } from "./counted.ts";

const given = (name: string, values: readonly (number | null)[], own?: number): Reward[] => [
  ...(own === undefined ? [] : [{ name, source: "reward:x", score: scored(own) }]),
  ...values.map((value, step) => ({
    name,
    source: "reward:x",
    score: value === null ? unscored("nobody knows") : scored(value),
    step,
  })),
];

function episode(id: string, group: string, rewards: readonly Reward[], steps = 0): Trajectory {
  const own = Array.from({ length: steps }, (_, at) => sampleStep(at));
  return sampleTrajectory(id, { group, rewards: [...rewards], steps: own });
}

const counted = (batch: readonly Trajectory[], name: string, counting: Counting): unknown[] =>
  countedRewards(batch, name, counting).map((list) =>
    list.length === 1 && list[0]?.step === undefined ? plain(list[0]?.score) : list.map(({ score }) => plain(score)),
  );

test("a gate lets through what holds, counts 0 for what does not, and knows nothing where nobody knows", () => {
  const batch = [1, 0.5, null].map((form, at) => {
    const score = form === null ? unscored("the judge failed") : scored(form);
    return episode(`${at}`, "g", [{ name: "form", source: "s", score }, ...given("value", [], 0.75)]);
  });
  expect(counted(batch, "value", { when: "form" })).toEqual([
    0.75,
    0,
    'unscored: its gate "form" has no score: the judge failed',
  ]);
  expect(counted(batch, "value", { when: { reward: "form", least: 0.5 } }).slice(0, 2)).toEqual([0.75, 0.75]);
  expect(counted(batch, "value", { when: { reward: "form", most: 0.5 } }).slice(0, 2)).toEqual([0, 0.75]);
});

test("a gate of steps opens step by step where the other reward judges steps", () => {
  const batch = [episode("a", "g", [...given("form", [1, 0]), ...given("value", [0.2, 0.3])], 2)];
  expect(counted(batch, "value", { level: "step", when: "form" })).toEqual([[0.2, 0]]);
});

test("normalised in the group, in the batch and over a range, by hand", () => {
  // Group a: 1, 3 (mean 2, deviation 1); group b: 5, 5 (no deviation). Batch: mean 3.5, deviation sqrt(11/4).
  const batch = [
    episode("1", "a", given("v", [], 1)),
    episode("2", "a", given("v", [], 3)),
    episode("3", "b", given("v", [], 5)),
    episode("4", "b", given("v", [], 5)),
  ];
  expect(counted(batch, "v", { normalise: "group" })).toEqual([-1, 1, 0, 0]);
  expect(counted(batch, "v", { normalise: "range" })).toEqual([0, 0.5, 1, 1]);
  // -2.5 / 1.658312395 = -1.507556723; -0.5 / 1.658312395 = -0.301511345; 1.5 / 1.658312395 = 0.904534034.
  expect(counted(batch, "v", { normalise: "batch" })).toEqual([-1.507556723, -0.301511345, 0.904534034, 0.904534034]);
});

test("what has no score stays so and moves nobody's mean", () => {
  const lost: Reward = { name: "v", source: "s", score: unscored("the endpoint hung") };
  const batch = [episode("1", "a", given("v", [], 1)), episode("2", "a", [lost]), episode("3", "a", given("v", [], 3))];
  expect(counted(batch, "v", { normalise: "group" })).toEqual([-1, "unscored: the endpoint hung", 1]);
});

test("a segment ends after so many steps, where the world pays, or where a reward pays; its sum stands on its last step", () => {
  const rewards = [...given("v", [1, 2, 3, 4, 5]), ...given("mile", [0, 1, 0, 0, 0])];
  const own = episode("a", "g", rewards, 5);
  const paid = { ...own, steps: own.steps.map((step, at) => ({ ...step, reward: scored(at === 2 ? 1 : 0) })) };
  const cut = (segment?: Counting["segment"]): unknown =>
    counted([paid], "v", { level: "segment", ...(segment === undefined ? {} : { segment }) })[0];
  expect(cut({ every: 2 })).toEqual([0, 3, 0, 7, 5]);
  expect(cut({ at: "mile" })).toEqual([0, 3, 0, 0, 12]);
  expect(cut()).toEqual([0, 0, 6, 0, 9]);
});

test("a turn goes from one word of the user to the next; without messages every step is one", () => {
  const own = episode("a", "g", given("v", [1, 2, 3]), 3);
  expect(counted([own], "v", { level: "turn" })).toEqual([[1, 2, 3]]);
  const roles = ["user", "tool", "user"] as const;
  const chat = {
    ...own,
    steps: own.steps.map((step, at) => ({ ...step, messages: [{ role: roles[at] ?? "user", content: "x" }] })),
  };
  expect(counted([chat], "v", { level: "turn" })).toEqual([[0, 3, 3]]);
});

test("one step without a score leaves its whole stretch without", () => {
  const own = episode("a", "g", given("v", [1, null, 3, 4]), 4);
  const why = "unscored: nobody knows";
  expect(counted([own], "v", { level: "segment", segment: { every: 2 } })).toEqual([[why, why, 0, 7]]);
});

test("what counts as it is has no part of its own", () => {
  expect(countedName("v", {})).toBe("v");
  expect(countedName("v", { level: "step" })).toBe("v");
  expect(countedName("v", { level: "turn" })).toBe("v.counted");
  expect(countedName("v", { normalise: "group" })).toBe("v.counted");
});
