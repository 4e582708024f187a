import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COSTS, sampledPerSecond } from "./costs.ts";
import { simulate, type Cluster, type Work } from "./simulate.ts";

/** Nothing but what a test sets costs anything. */
const cluster: Cluster = {
  workers: 1,
  group: 1,
  samplers: 1,
  rows: 1,
  tokensPerSecond: () => 10,
  learners: 1,
  redisSecondsPerJob: 0,
  askerSecondsPerEpisode: 0,
  networkSeconds: 0,
};
const work: Work = {
  tasks: 1,
  steps: 3,
  tokensPerStep: 20,
  worldSecondsPerStep: 0.5,
  learnSecondsPerUpdate: 4,
  lag: 0,
  updates: 1,
};

test("one episode after the other: steps of 20 / 10 + 0.5 s, then 4 s of learning", () => {
  // 3 x (2 + 0.5) + 4 = 11.5
  expect(simulate(cluster, work).seconds).toBeCloseTo(11.5, 9);
  // Two updates, no lag: 23. Network of 0.1 s before every sample, Redis 1 s, asker 2 s: 11.5 + 0.3 + 3 = 14.8.
  expect(simulate(cluster, { ...work, updates: 2 }).seconds).toBeCloseTo(23, 9);
  const slow = { ...cluster, networkSeconds: 0.1, redisSecondsPerJob: 1, askerSecondsPerEpisode: 2 };
  expect(simulate(slow, work).seconds).toBeCloseTo(14.8, 9);
});

test("two workers, one place on the GPU: samples wait for each other, worlds do not", () => {
  // One step each of 2 s on the GPU and 0.5 s in the world: the first is done at 2.5, the second samples from 2 to 4 and is done at 4.5.
  const two = { ...cluster, workers: 2 };
  const short = { ...work, tasks: 2, steps: 1, learnSecondsPerUpdate: 0 };
  expect(simulate(two, short).seconds).toBeCloseTo(4.5, 9);
  expect(simulate(two, short).busy.samplers).toBeCloseTo(4 / 4.5, 9);
  // A second GPU: both at 2.5. One worker: 2.5 after 2.5.
  expect(simulate({ ...two, samplers: 2 }, short).seconds).toBeCloseTo(2.5, 9);
  expect(simulate({ ...two, workers: 1 }, short).seconds).toBeCloseTo(5, 9);
});

test("a lag lets playing and learning overlap: the longer of both, and one of the shorter at the end", () => {
  // Playing takes 7.5, learning 4. Without a lag 4 x 11.5 = 46. With one: 4 x 7.5 + 4 = 34.
  expect(simulate(cluster, { ...work, updates: 4 }).seconds).toBeCloseTo(46, 9);
  expect(simulate(cluster, { ...work, updates: 4, lag: 1 }).seconds).toBeCloseTo(34, 9);
  // Learning of 10 is the longer: 7.5 + 4 x 10.
  const heavy = { ...work, updates: 4, lag: 1, learnSecondsPerUpdate: 10 };
  expect(simulate(cluster, heavy).seconds).toBeCloseTo(47.5, 9);
});

test("a batch of n conversations shares the GPU's tokens", () => {
  // 64 at once at 9,430 tokens/s: 64 x 10 tokens take 640 / 9,430 s once all are there; each is priced by who is there when it begins.
  expect(sampledPerSecond(64)).toBe(9_430);
  expect(sampledPerSecond(1)).toBeCloseTo(147.34, 2);
  expect(sampledPerSecond(96)).toBe(11_116);
  expect(sampledPerSecond(500)).toBe(12_802);
});

test("against a real measurement: fleet/scaling of docs/evidence/bench.md, within a tenth", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/evidence/bench.md"), "utf8");
  const [, list = "", last = ""] =
    /policy that waits 50 ms for every step\): ([\d., ]+),\s*([\d., ]+ and \d+) episodes a second/.exec(page) ?? [];
  const measured = `${list}, ${last}`.match(/\d+(?:\.\d+)?/g)?.map(Number);
  expect(measured).toEqual([1.88, 3.88, 7.69, 15, 30, 59]);
  for (const [at, workers] of [1, 2, 4, 8, 16, 32].entries()) {
    // A policy that waits is a GPU with a row for everybody: 1 token in 50 ms, however many there are.
    const waits = { ...cluster, workers, rows: 64, tokensPerSecond: (active: number) => 20 * active };
    const own = COSTS.ownSecondsPerEpisode.value / 10;
    const load = { ...work, tasks: 20 * workers, steps: 10, tokensPerStep: 1, worldSecondsPerStep: own };
    const redisSecondsPerJob = COSTS.redisSecondsPerJob.value;
    const { episodesPerSecond } = simulate({ ...waits, redisSecondsPerJob }, { ...load, learnSecondsPerUpdate: 0 });
    expect(Math.abs(episodesPerSecond / (measured?.[at] as number) - 1)).toBeLessThan(0.1);
  }
});
