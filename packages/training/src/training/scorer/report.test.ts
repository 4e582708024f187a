import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { reportOf } from "./report.ts";
import { balanceEpisodes, splitEpisodes } from "./train-scorer.ts";

/** So many steps of one token each, all of this log-probability. */
function episode(id: string, task: string, { steps, success, logprob }: Episode): Trajectory {
  const span = (at: number) => ({ stream: 0, start: 2 * at + 1, end: 2 * at + 2 });
  const size = 2 * steps + 1;
  const streams = [
    {
      ids: new Int32Array(size),
      mask: Uint8Array.from({ length: size }, (_, at) => at % 2),
      logprobs: new Float32Array(size).fill(logprob),
    },
  ];
  return sampleTrajectory(id, {
    task: { ...sampleTrajectory(id).task, id: task },
    steps: Array.from({ length: steps }, (_, at) => sampleStep(at, { span: span(at) })),
    streams,
    success,
  });
}

interface Episode {
  readonly steps: number;
  readonly success: boolean;
  readonly logprob: number;
}

test("in the middle those that still go on are compared, and those that are over are not", () => {
  const of = (steps: number, success: boolean, logprob: number): Episode => ({ steps, success, logprob });
  const all = [
    // Over after two steps, which is half of four.
    episode("early", "a", of(2, true, -0.1)),
    episode("good", "a", of(3, true, -2)),
    episode("bad", "a", of(4, false, -1)),
    // One that goes on is no choice.
    episode("alone", "b", of(4, true, -1)),
    episode("over", "b", of(1, false, -1)),
  ];
  // Before each step but the first, and at the end.
  const said = new Map([
    ["early", { middle: [0.9], end: 1 }],
    ["good", { middle: [0.1, 0.6], end: 1 }],
    ["bad", { middle: [0.9, 0.5, 0.1], end: 0 }],
    ["alone", { middle: [0.5, 0.5, 0.5], end: 1 }],
    ["over", { middle: [], end: 0 }],
  ]);
  const { half } = reportOf(all, said);
  // After two steps: 0.6 against 0.5. Likelihood prefers the bad one; both are as long, so that length is a draw.
  expect(half).toMatchObject({
    after: 2,
    tasks: 1,
    by: { scorer: 1, likelihood: 0, "least word": 0, length: 0.5, random: 0.5 },
  });
  expect(half?.beats["likelihood"]?.mean).toBe(1);
  const single = [episode("one", "a", of(1, true, -1)), episode("two", "a", of(1, false, -1))];
  expect(reportOf(single, new Map(single.map(({ id }) => [id, { middle: [], end: 0.5 }]))).half).toBeNull();
});

test("of the failures so many are kept for each success, and a task is on one side alone", () => {
  const all = Array.from({ length: 80 }, (_, at) =>
    episode(`e${at}`, `t${at % 20}`, { steps: 1, success: at % 8 === 0, logprob: -1 }),
  );
  const some = balanceEpisodes(all, { model: "", out: "", trajectories: all, balance: 2 });
  // 10 successes.
  expect(some.filter(({ success }) => success === true)).toHaveLength(10);
  expect(some.filter(({ success }) => success === false)).toHaveLength(20);
  const { train, valid, test: apart } = splitEpisodes({ model: "", out: "", trajectories: all });
  // 20 tasks: a fifth held out, and an eighth of the other 16 to stop by; four episodes each.
  expect([train, valid, apart].map(({ length }) => length)).toEqual([56, 8, 16]);
  const tasks = [train, valid, apart].map((own) => new Set(own.map(({ task }) => task.id)));
  expect(new Set(tasks.flatMap((own) => [...own])).size).toBe(20);
});
