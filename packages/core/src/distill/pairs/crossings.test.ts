import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { crossingsOf } from "./crossings.ts";

const step = (index: number, action: string, more: Partial<Step> = {}): Step => sampleStep(index, { action, ...more });

/** Every way as "step action: takers = outcomes". */
const ways = (trajectories: readonly Trajectory[]): string[] =>
  crossingsOf(trajectories).flatMap(({ step: at, ways: own }) =>
    own.map(
      ({ action, takers, outcomes }) =>
        `${at} ${action}: ${takers.map(({ trajectory }) => trajectory.id).join("")} = ${outcomes.map(({ trajectory, value }) => `${trajectory.id}${value}`).join(" ")}`,
    ),
  );

test("branches meet where they left, independent episodes where they did the same", () => {
  const root = sampleTrajectory("r", { steps: [step(0, "go"), step(1, "take")], reward: scored(1) });
  const branch = sampleTrajectory("b", {
    parent: { trajectory: "r", step: 1 },
    steps: [step(1, "drop")],
    reward: scored(0),
  });
  const alone = sampleTrajectory("s", { steps: [step(0, "go"), step(1, "drop")], reward: scored(0.5) });
  expect(ways([root, branch, alone])).toEqual(["0 go: rs = b0 r1 s0.5", "1 drop: bs = b0 s0.5", "1 take: r = r1"]);
});

test("another sight is another point, and advice in the prompt makes one", () => {
  const plain = sampleTrajectory("a", { steps: [step(0, "go")] });
  const advised = sampleTrajectory("b", { steps: [step(0, "wait", { prompt: "see 0\n\nthink" })] });
  const elsewhere = sampleTrajectory("c", { steps: [step(0, "wait", { observation: "see more" })] });
  expect(crossingsOf([plain, advised, elsewhere]).map(({ seen, ways: own }) => [seen, own.length])).toEqual([
    ["see 0", 1],
    ["see 0\n\nthink", 1],
    ["see more", 1],
  ]);
});

test("of an episode in which somebody else chose a later action nothing is known about earlier ones", () => {
  const helped = sampleTrajectory("h", {
    steps: [step(0, "go"), step(1, "take", { info: { source: "expert" } }), step(2, "leave")],
  });
  expect(ways([helped])).toEqual(["0 go: h = ", "1 take: h = h1", "2 leave: h = h1"]);
  const root = sampleTrajectory("r", { steps: [step(0, "go"), step(1, "wait")], reward: scored(0) });
  const retry = sampleTrajectory("x", {
    parent: { trajectory: "r", step: 1 },
    steps: [step(1, "take", { prompt: "see 1\n\nthink" })],
    info: { guidance: "think" },
  });
  expect(ways([root, retry])).toEqual(["0 go: r = r0", "1 wait: r = r0", "1 take: x = x1"]);
});

test("what nobody scored, answers that never reached the world and halves of answers", () => {
  const lost = sampleTrajectory("l", { steps: [step(0, "go")], reward: unscored("lost") });
  const cut = sampleTrajectory("c", { steps: [step(0, "go"), step(1, "ta", { info: { unfinished: true } })] });
  const half = sampleTrajectory("h", { parent: { trajectory: "c", step: 0, token: 1 }, steps: [step(0, "give")] });
  expect(ways([lost, cut, half])).toEqual(["0 give:  = h1", "0 go: cl = c1"]);
});
