import { expect, test } from "vitest";
import { answers, rowAdvantages } from "../../../../test/support/credit.ts";
import { hiAgent } from "./hi-agent.ts";

const row = (state: string, reward: number, role?: string) => ({
  state,
  reward,
  ...(role === undefined ? {} : { signals: { role } }),
});

test("subgoals of one state against each other", () => {
  // 0, 1, 0.5: mean 0.5, std 0.5; 0.5 / 0.500001. Another state does not count.
  const batch = answers([0, 0, 0, 0], [row("s", 0), row("s", 1), row("s", 0.5), row("u", 9)]);
  expect(rowAdvantages(hiAgent, batch)).toEqual([-0.999998, 0.999998, 0, 0]);
});

test("planner and executor are not compared", () => {
  const batch = answers(
    [0, 0, 0, 0],
    [row("s", 0, "planner"), row("s", 1, "planner"), row("s", 5, "executor"), row("s", 5, "executor")],
  );
  expect(rowAdvantages(hiAgent, batch)).toEqual([-0.707106, 0.707106, 0, 0]);
});

test("the outcome plays no part: a failed episode may hold a good step", () => {
  expect(rowAdvantages(hiAgent, answers([0, 1], [row("s", 1), row("s", 0)]))).toEqual([0.707106, -0.707106]);
});
