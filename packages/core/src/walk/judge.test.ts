import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../test/support/samples.ts";
import { scorerJudge } from "./judge.ts";

test("a scorer as judge: steps by what became of the chance, and the world's verdict stands", async () => {
  const scorer = {
    scoreTokens: () => Promise.resolve([]),
    scoreSteps: () => Promise.resolve([0.5, 0.5, 0.1, 0.3, 0, 0]),
  };
  const steps = [0, 1, 2, 3, 4, 5].map((index) => sampleStep(index));
  const trajectory = sampleTrajectory("a", { steps });
  const judgement = await scorerJudge(scorer)(
    { task: trajectory.task, trajectory, steps },
    { signal: new AbortController().signal },
  );
  // 0.5 / 1, 0.1 / 0.6, 0.3 / 0.4, 0 / 0.3; of the first, and of nothing after nothing, there is no opinion.
  expect(judgement).toEqual({ stepScores: [null, 0.5, expect.closeTo(1 / 6, 12), expect.closeTo(0.75, 12), 0, null] });
});

test("a scorer of steps has said it already, and a branch is not looked into", async () => {
  const scorer = {
    ofSteps: true,
    scoreTokens: () => Promise.resolve([]),
    scoreSteps: () => Promise.resolve([0.9, 0.1]),
  };
  const steps = [sampleStep(0), sampleStep(1)];
  const whole = sampleTrajectory("whole", { steps });
  const signal = new AbortController().signal;
  const judge = scorerJudge(scorer);
  expect(await judge({ task: whole.task, trajectory: whole, steps }, { signal })).toEqual({ stepScores: [0.9, 0.1] });
  const branch = sampleTrajectory("branch", { steps: [sampleStep(1)], parent: { trajectory: "whole", step: 1 } });
  expect(await judge({ task: whole.task, trajectory: branch, steps }, { signal })).toEqual({});
});
