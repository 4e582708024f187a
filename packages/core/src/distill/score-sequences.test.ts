import { expect, test } from "vitest";
import { corridorEpisodes } from "../../../../test/support/recipe-bench.ts";
import type { Scorer } from "limbeck-policy/policy/policy";
import { plainSequences } from "./rescore.ts";
import { scoreJobs, type Job } from "./score-sequences.ts";

/** Every token's number is its id; answers come when they are asked for. */
function slowScorer(inFlight: number): Scorer & { readonly most: () => number; readonly calls: () => number } {
  let [now, most, calls] = [0, 0, 0];
  return {
    statistics: ["logprob"],
    inFlight,
    most: () => most,
    calls: () => calls,
    score: async (rows) => {
      calls += 1;
      now += 1;
      most = Math.max(most, now);
      // Later calls are answered first.
      for (let turn = calls; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return rows.map(({ ids }) => ({ logprob: Float32Array.from(ids) }));
    },
  };
}

const episodes = await corridorEpisodes("score-sequences");
const jobs: Job[] = Array.from({ length: 8 }, () => [...plainSequences(episodes)])
  .flat()
  .flatMap(([trajectory, sequences]) => sequences.map((sequence): Job => ({ trajectory, sequence })));

test("a scorer elsewhere has several calls under way; the opinions are those of one after the other", async () => {
  const [one, several] = [slowScorer(1), slowScorer(4)];
  const wanted = await scoreJobs(jobs, { scorer: one });
  const got = await scoreJobs(jobs, { scorer: several });
  expect(got.opinions).toEqual(wanted.opinions);
  expect(got.sequences).toBe(jobs.length);
  expect([one.calls(), one.most()]).toEqual([1, 1]);
  expect(several.calls()).toBeGreaterThan(2);
  expect(several.most()).toBeGreaterThan(1);
  expect(several.most()).toBeLessThanOrEqual(4);
});

test("sequences are made while those before are under way", async () => {
  let made = 0;
  const seen: number[] = [];
  function* lazily(): Generator<Job> {
    for (const job of jobs) {
      made += 1;
      yield job;
    }
  }
  const inner = slowScorer(4);
  await scoreJobs(lazily(), {
    scorer: {
      ...inner,
      score: async (rows, options) => {
        seen.push(made);
        return await inner.score(rows, options);
      },
    },
  });
  // The first call is made long before the last sequence.
  expect(seen[0]).toBeLessThan(jobs.length);
});

test("a call that fails is told once, and nothing else is left over", async () => {
  const scorer: Scorer = { statistics: ["logprob"], inFlight: 4, score: () => Promise.reject(new Error("gone")) };
  await expect(scoreJobs(jobs, { scorer })).rejects.toThrow("gone");
});
