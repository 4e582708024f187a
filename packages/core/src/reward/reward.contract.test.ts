import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { allRewards } from "./registry.ts";
import { rewardContract } from "./reward.contract.ts";
import { defineReward, type PureReward, type RewardMethod } from "./reward.ts";

/** Options that take other paths than the defaults. */
const others: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  autoregressive: [{ level: "token" }, { level: "trajectory", perToken: true }],
  components: [
    { weights: { reward: 1, progress: 2 }, unscored: "rescale" },
    { weights: { reward: 1, progress: 2 }, level: "step", unscored: "leave-out" },
  ],
  improvement: [{ of: "progress" }],
  "motion-tags": [{ form: "numbers", grounding: 1 }],
  outcome: [{ from: "success", truncated: "unscored" }],
  "peak-retention": [{ of: "progress", form: "after-peak", maxTurns: null }],
  process: [{ blend: 1, combine: "product" }],
  progress: [{ gamma: 0.9, zeroAtEnd: false }],
  "rubric-judge": [{ samples: 1, combine: "median" }],
  "step-rewards": [
    { returns: true, gamma: 0.9 },
    { combine: "mean", unscored: "leave-out", of: "progress" },
  ],
  tiers: [{ of: "progress", maxDistance: 2 }],
  "tool-match": [{ matching: "soft" }, { matching: "greedy", unmatched: -0.5 }],
  trace: [{ rounds: "calls" }],
};

for (const [name, reward] of Object.entries<RewardMethod>(allRewards))
  rewardContract({ name, reward, options: others[name] ?? [], runner: { describe, test }, runs: tries(2, 6) });

/** The example of docs/learn/write-a-reward.md. */
const brevity = defineReward({
  id: "brevity",
  info: {
    title: "Brevity",
    meaning: "A success is worth more the fewer steps it took.",
    paper: "Our own",
    confidence: "practice",
    formula: ["success: R = 1 / steps;   failure: R = 0"],
    departures: [],
  },
  needs: [],
  options: {
    most: { kind: "number", default: 1, above: 0, meaning: "worth of a success in one step" },
  },
  score: (batch, { most }) => ({
    awards: batch.map(({ success, steps }) => {
      if (success === null) return [{ score: unscored("its outcome is not known") }];
      if (steps.length === 0) return [{ score: unscored("it has no steps") }];
      return [{ score: scored(success ? most / steps.length : 0) }];
    }),
  }),
});

rewardContract({
  name: "brevity",
  reward: brevity,
  runner: { describe, test },
  options: [{ most: 3 }],
  runs: tries(6, 20),
});

async function failing(reward: RewardMethod): Promise<string[]> {
  const found: string[] = [];
  const tests: Promise<void>[] = [];
  rewardContract({
    name: "wrong",
    reward,
    runner: {
      describe: (_, body) => body(),
      test: (title, body) => {
        tests.push(body().catch(() => void found.push(title)));
      },
    },
  });
  await Promise.all(tests);
  return found;
}

const plain: PureReward = allRewards.outcome;

test("a reward that looks at the place in the batch is found", async () => {
  const wrong = defineReward({
    ...plain,
    score: (batch) => ({ awards: batch.map((_, at) => [{ score: scored(at) }]) }),
  });
  expect(await failing(wrong)).toEqual(["shuffling the batch shuffles the rewards and nothing else"]);
});

test("a reward that gives too few lists, changes its input, or answers for a judge that failed is found", async () => {
  const few = defineReward({ ...plain, score: () => ({ awards: [] }) });
  expect(await failing(few)).toContain("every trajectory gets a list, and what it gets fits its steps and tokens");
  const meddler = defineReward({
    ...plain,
    score: (batch) => {
      for (const trajectory of batch) (trajectory as { reward: unknown }).reward = scored(1);
      return { awards: batch.map(() => []) };
    },
  });
  expect(await failing(meddler)).toContain("the batch comes back as it was, and the same batch gives the same rewards");
  const zero: RewardMethod = {
    ...allRewards.verifier,
    score: (batch) => Promise.resolve({ awards: batch.map(() => [{ score: scored(0) }]) }),
  };
  expect(await failing(zero)).toEqual(["what it needs may fail or say NaN: that is unscored, not zero"]);
});
