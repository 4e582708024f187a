import { expect, test } from "vitest";
import { answers, assign, episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { published } from "../../../../test/support/published.ts";
import { visits } from "./examples.ts";
import { logoGrpo } from "./logo-grpo.ts";

test("sessions are compared with the same session of other rollouts", () => {
  const two = episodes({ X: visits(1, ["a", 0.2], ["b", 1]), Y: visits(0, ["a", 0.6], ["b", 0]) });
  // The first session went worse in the better rollout: 0.2 and 0.6, mean 0.4, std 0.282843.
  expect(rowAdvantages(logoGrpo, two)).toEqual([-0.707104, 0.707106, 0.707104, -0.707106]);
  // By the outcome it is raised all the same.
  expect(rowAdvantages(logoGrpo, two, WHOLE)).toEqual([0.707106, 0.707106, -0.707106, -0.707106]);
});

test("a session that only one rollout came to says nothing, and rewards of steps are asked for", () => {
  const longer = episodes({ X: visits(1, ["a", 1], ["b", 1]), Y: visits(0, ["a", 0]) });
  expect(rowAdvantages(logoGrpo, longer)).toEqual([0.707106, 0, -0.707106]);
  expect(() => rowAdvantages(logoGrpo, answers([1, 0]))).toThrow("LoGo-GRPO with global=session needs");
});

test("global=trajectory is GRPO over whole rollouts", () => {
  expect(rowAdvantages(logoGrpo, answers([1, 0, 1, 0]), WHOLE)).toEqual([0.866024, -0.866024, 0.866024, -0.866024]);
});

const WHOLE = { global: "trajectory" };

const alternative = (reward: number) => ({
  outcome: reward,
  steps: [{ step: 1, parent: { trajectory: "X", step: 1 }, signals: { snapshot: { id: "m1", reward } } }],
});
const batch = episodes({
  X: visits(1, ["a", 0.3], ["b", 1]),
  Y: visits(0, ["a", 0.3], ["b", 0]),
  ...Object.fromEntries([0.8, 0.2, 0.5].map((reward, at) => [`X${at}`, alternative(reward)])),
});

test("alternatives are compared with each other only", () => {
  // 0.8, 0.2, 0.5: mean 0.5, std 0.3; 0.3 / 0.300001 = 0.999997. X and Y: +- 0.707106, untouched by the alternatives.
  expect(rowAdvantages(logoGrpo, batch)).toEqual([0, 0.707106, 0, -0.707106, 0.999997, -0.999997, 0]);
  const whole = [0.707106, 0.707106, -0.707106, -0.707106, 0.999997, -0.999997, 0];
  expect(rowAdvantages(logoGrpo, batch, WHOLE)).toEqual(whole);
  expect(rowAdvantages(logoGrpo, batch, { localWeight: 0.5 })[4]).toBe(0.499998);
});

test("one alternative, or equal rewards, say nothing", () => {
  const one = episodes({ X: { outcome: 1, steps: [{}, {}] }, Z: alternative(0.4) });
  const { terms } = assign(logoGrpo, one, WHOLE);
  expect(Array.from(terms["local"]!.perRow!, round)).toEqual([0, 0, 0]);
  const equal = episodes({ X: { outcome: 1, steps: [{}, {}] }, Z: alternative(0.4), W: alternative(0.4) });
  expect([...assign(logoGrpo, equal, WHOLE).terms["local"]!.perRow!]).toEqual([0, 0, 0, 0]);
});

test("what an alternative does behind its snapshot is not trained", () => {
  const [first] = alternative(0.8).steps;
  const longer = { outcome: 0.8, steps: [first!, { step: 2, parent: { trajectory: "X", step: 1 }, reward: 1 }] };
  const both = episodes({ X: visits(1, ["a", 0.3], ["b", 1]), Y: visits(0, ["a", 0.3], ["b", 0]), Z: longer });
  expect(assign(logoGrpo, both).dropped).toEqual([5]);
  expect(assign(logoGrpo, batch).dropped).toEqual([]);
});

interface PublishedBatch {
  readonly sessions: readonly (readonly number[])[];
  readonly inner: readonly (readonly number[])[];
  readonly global: readonly (readonly number[])[];
  readonly local: readonly (readonly number[])[];
}

test.each(published<PublishedBatch>("logo-grpo").cases)("as published: $sessions, $inner", (given) => {
  const rollouts = given.sessions.map((rewards, at) => [
    `R${at}`,
    { outcome: 0, steps: rewards.map((reward) => ({ reward })) },
  ]);
  const inner = given.inner.flatMap((rewards, session) =>
    rewards.map((reward, at) => [
      `I${session}-${at}`,
      {
        outcome: 0,
        steps: [
          {
            step: session,
            parent: { trajectory: "R0", step: session },
            signals: { snapshot: { id: `m${session}`, reward } },
            reward: 9,
          },
        ],
      },
    ]),
  );
  const found = rowAdvantages(logoGrpo, episodes(Object.fromEntries([...rollouts, ...inner])));
  const wanted = [...given.global.flat(), ...given.local.flat()];
  expect(found).toHaveLength(wanted.length);
  for (const [at, value] of wanted.entries()) expect(found[at]).toBeCloseTo(value, 4);
});
