import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../test/support/samples.ts";
import { wilson } from "limbeck-base/base/statistics/share";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { profileOf, taskFamily } from "./profile.ts";

interface Tried {
  readonly task: string;
  readonly success: boolean | null;
  readonly steps?: number;
  readonly more?: Partial<Trajectory>;
}

function tried({ task, success, steps = 2, more = {} }: Tried, index: number): Trajectory {
  const walked = Array.from({ length: steps }, (_, at) => sampleStep(at));
  const named = { id: task, env: "toy", seed: 1, goal: "do it", split: "valid", data: { family: task.slice(0, 4) } };
  return sampleTrajectory(`${task}/${index}`, { task: named, success, steps: walked, ...more });
}

test("one try a task: Wilson, families, steps and refused actions by hand", () => {
  const played = [
    { task: "pick-1", success: true, steps: 2 },
    { task: "pick-2", success: false, steps: 4 },
    { task: "heat-1", success: true, steps: 6 },
    { task: "heat-2", success: null, steps: 4 },
  ].map(tried);
  const refused = { ...played[3]!, steps: [sampleStep(0, { valid: false }), ...played[3]!.steps.slice(1)] };
  const of = profileOf([...played.slice(0, 3), refused]);
  expect(of).toMatchObject({ tasks: 4, episodes: 4, samples: 1, solved: 2, failed: 0, unjudged: 1 });
  expect(of.success).toEqual({ mean: 0.5, ...wilson(2, 4) });
  // Steps 2 + 4 + 6 + 4 = 16: mean 4, solved (2 + 6) / 2 = 4; one refused of 16; 16 steps for 2 successes.
  expect([of.meanSteps, of.meanStepsSolved, of.invalid, of.efficiency.stepsPerSuccess]).toEqual([4, 4, 1 / 16, 8]);
  expect(of.passAtK).toEqual([{ k: 1, ...of.success }]);
  expect(of.families.map(({ family, tasks, success }) => [family, tasks, success.mean])).toEqual([
    ["heat", 2, 0.5],
    ["pick", 2, 0.5],
  ]);
  expect(of.efficiency).toMatchObject({ stepsToReference: null, weightedSuccess: null, secondsPerEpisode: null });
});

const LOST = {
  ending: "failed",
  reward: { kind: "unscored", why: "gone" },
  failure: { code: "gone", message: "Gone." },
} as const;

test("lost episodes are part of no share, and where most are lost there is none", () => {
  const lost = (task: string): Tried => ({ task, success: null, steps: 9, more: LOST });
  // Task pick-1: solved, lost; heat-1: failed; heat-2: lost. Seen: 1 of 1 and 0 of 1.
  const few = [{ task: "pick-1", success: true }, lost("pick-1"), { task: "heat-1", success: false }, lost("heat-2")];
  const of = profileOf(few.map(tried));
  expect(of).toMatchObject({ tasks: 3, episodes: 4, samples: 1, solved: 1, failed: 2, unjudged: 0, meanSteps: 2 });
  expect(of.causes).toEqual({ gone: 2 });
  expect(of.success).toEqual({ mean: 0.5, ...wilson(1, 2) });
  expect(of.families.map(({ family, success }) => [family, success.mean])).toEqual([
    ["heat", 0],
    ["pick", 1],
  ]);
  const none = profileOf([...few, lost("heat-3")].map(tried));
  expect([none.success.mean, none.passAtK, none.failed]).toEqual([Number.NaN, [], 3]);
});

test("several tries a task: pass@k, and tasks not tries are what the interval counts", () => {
  const outcomes = [true, true, true, false, false, false, false, false];
  const played = outcomes.map((success, index) => tried({ task: index < 4 ? "a" : "b", success }, index));
  const of = profileOf(played);
  // Task a: 3 of 4; b: 0 of 4. pass@1 = (0.75 + 0) / 2; pass@2 of a = 1 - C(1,2)/C(4,2) = 1; pass@4 the same.
  expect(of.samples).toBe(4);
  expect(of.passAtK.map(({ k, mean }) => [k, mean])).toEqual([
    [1, 0.375],
    [2, 0.5],
    [4, 0.5],
  ]);
  // Two tasks say little, however often they were tried: wider than eight independent tries would be.
  expect(of.success.high - of.success.low).toBeGreaterThan(wilson(3, 8).high - wilson(3, 8).low);
});

test("efficiency against a reference, and tokens and seconds", () => {
  const ids = new Int32Array(6);
  const mask = Uint8Array.from([0, 1, 1, 0, 1, 1]);
  const played = [
    tried({ task: "a", success: true, steps: 6, more: { streams: [{ ids, mask }], usage: { modelCalls: 2 } } }, 0),
    tried({ task: "b", success: true, steps: 2, more: { usage: { completionTokens: 2, modelCalls: 4 } } }, 0),
    tried({ task: "c", success: false, steps: 9 }, 0),
    tried({ task: "d", success: true, steps: 1 }, 0),
  ];
  const reference = new Map([
    ["a", 4],
    ["b", 4],
    ["c", 3],
  ]);
  const { efficiency } = profileOf(played, { reference, seconds: 10 });
  // Solved with a reference: 6 / 4 = 1.5 and 2 / 4 = 0.5, mean 1. Weighted: 4/6, 4/4 (never above 1), 0: 1.666667 / 3.
  expect(efficiency.stepsToReference).toMatchObject({ mean: 1, episodes: 2 });
  expect(efficiency.weightedSuccess!.mean).toBeCloseTo(5 / 9, 12);
  expect(efficiency.weightedSuccess!.tasks).toBe(3);
  // Tokens 4 (masked) + 2 (told) = 6: 1.5 an episode, 2 a success; calls 6 / 4; 10 s / 4.
  expect(efficiency).toMatchObject({ tokensPerEpisode: 1.5, tokensPerSuccess: 2, modelCallsPerEpisode: 1.5 });
  expect([efficiency.secondsPerEpisode, efficiency.stepsPerSuccess]).toEqual([2.5, 6]);
});

test("nothing played says nothing", () => {
  const of = profileOf([]);
  expect(of).toMatchObject({ tasks: 0, samples: 0, passAtK: [], families: [] });
  expect(of.success).toEqual({ mean: NaN, low: 0, high: 1 });
  expect(of.efficiency).toMatchObject({ stepsPerSuccess: null, tokensPerEpisode: 0 });
});

test("a family is named in the data, in the scenario there, or in the name of the game", () => {
  const task = { id: "x", env: "toy", seed: 1, goal: "g", split: "s" };
  expect(taskFamily({ ...task, data: { family: "heat" } })).toBe("heat");
  expect(taskFamily({ ...task, data: { scenario: { family: "return" } } })).toBe("return");
  expect(taskFamily({ ...task, id: "valid_seen/pick_two_obj_and_place-Mug-None-Desk-3/trial" })).toBe(
    "pick_two_obj_and_place",
  );
  expect(taskFamily({ ...task, data: { family: 3 } })).toBeUndefined();
});
