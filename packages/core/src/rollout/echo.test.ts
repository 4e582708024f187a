import { expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { createTabularPolicy } from "limbeck-policy/policy/tabular/tabular-policy";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { ANSWER, createWordDialect, END } from "../walk/mind/word-dialect.ts";

/** Answers are one word: "go" (east, in this dialect's corridor nothing), or with the rest of the chance others. */
async function roll(options: Readonly<Record<string, unknown>>, others: readonly number[], count = 2) {
  const dialect = createWordDialect(["east", "a", "b", "c"]);
  const row = (chances: readonly number[]): number[] =>
    Array.from({ length: dialect.vocabularySize }, (_, token) => chances[token - 3] ?? 0);
  const probabilities = Array.from({ length: dialect.vocabularySize }, (_, last) =>
    last === ANSWER ? row(others) : row([]).map((_, token) => (token === END ? 1 : 0)),
  );
  const agent = createTokenAgent({
    policy: createTabularPolicy({ probabilities }),
    dialect,
    answerTokens: 2,
    form: { read: (answer) => ({ action: `go ${answer}`, readable: true }), write: (action) => action },
  });
  const env = createCorridor();
  const tasks = [...(env.tasks("train", { count }) as Iterable<Task>)];
  return await rollOut({ env, agent, strategy: createStrategy("echo", options), tasks, seed: 8 });
}

test("a certain policy is not branched", async () => {
  const { trajectories } = await roll({}, [1]);
  expect(trajectories).toHaveLength(2);
  // Both end with the same action: the whole vote.
  expect(trajectories.map(({ info }) => info?.["echo"])).toEqual([
    { majorityShare: 1, agrees: true, clip: expect.closeTo(0.3, 12) },
    { majorityShare: 1, agrees: true, clip: expect.closeTo(0.3, 12) },
  ]);
});

test("an unsure policy is branched up to the width, and the paths stay within the size", async () => {
  // Two tokens an answer: entropy ln 2 and 0, mean 0.346574; over ln 2 of two tokens that is 0.5. Confidence
  // exp((ln 0.5 + 0) / 2) = 0.707107. Width 1 + floor(5 * 0.5 * 0.707107) = 1 + floor(1.77) = 2, at every step.
  const { trajectories } = await roll({ width: 6, topTokens: 2, size: 5 }, [0.5, 0.5]);
  expect(trajectories).toHaveLength(10);
  const births = trajectories.flatMap(({ parent }) => (parent === undefined ? [] : [parent.step]));
  // After step 0 one branch, after step 1 of the trunk and step 0 of the branch two more, then one place is left.
  expect(births.slice(0, 4).filter((step) => step === 0)).toHaveLength(2);
});

test("branches that stay poor are stopped, two are always left", async () => {
  // One answer in five is of a token that is a thirtieth as likely: the odd one out soon has a poor average.
  const options = { size: 8, width: 8, topTokens: 2, keep: 0, checks: 1, deviations: 0.5 };
  const { trajectories } = await roll(options, [0.76, 0.08, 0.08, 0.08], 6);
  const stopped = trajectories.filter(({ info }) => info?.["stopped"] === "poor confidence");
  expect(stopped.length).toBeGreaterThan(4);
  for (const { id, reward } of stopped) {
    expect(reward.kind).toBe("unscored");
    // Nobody's history is lost.
    expect(trajectories.some(({ parent }) => parent?.trajectory === id)).toBe(false);
  }
  const strict = await roll({ ...options, least: 8 }, [0.76, 0.08, 0.08, 0.08], 6);
  expect(strict.trajectories.some(({ info }) => info?.["stopped"] === "poor confidence")).toBe(false);
});
