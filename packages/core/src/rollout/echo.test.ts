import { describe, expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { createTabularPolicy } from "limbeck-policy/policy/tabular/tabular-policy";
import { resolveOptions } from "limbeck-base/base/options";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { published } from "../../../../test/support/published.ts";
import { createStrategy } from "./registry.ts";
import { strategyContract } from "./strategy.contract.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { ANSWER, createWordDialect, END } from "../walk/mind/word-dialect.ts";
import { branchWidth, echo, type EchoOptions, planBranch, planStop, signsOf } from "./echo.ts";

type Given = Readonly<Record<string, number>>;
const optionsOf = (given: Given = {}): EchoOptions => resolveOptions(echo.options, given, "echo");

test("the surer the group, the fewer paths go on", () => {
  // 1 + 2 (3.5 - 1) / 2.5 - (1.2 - 1.2) / 1.2 = 3;  the same + 0.6 / 1.2 = 3.5;  1 + 2 * 0.5 / 2.5 - 1 = 0.4.
  expect(branchWidth({ entropy: 3.5, group: 1.2 }, optionsOf())).toBe(3);
  expect(branchWidth({ entropy: 3.5, group: 0.6 }, optionsOf())).toBe(4);
  expect(branchWidth({ entropy: 1.5, group: 2.4 }, optionsOf())).toBe(1);
  expect(branchWidth({ entropy: 9, group: 0.6 }, optionsOf({ width: 6 }))).toBe(6);
});

interface Case {
  readonly steps: readonly (readonly number[])[];
  readonly options: Given;
  readonly branch: { readonly place: number; readonly width: number } | null;
  readonly stop: { readonly place: number; readonly why: string } | null;
}

const WHY: Readonly<Record<string, string>> = {
  low_confidence: "low confidence",
  tail_decline: "falling confidence",
  entropy_spike: "rising entropy",
};

test.each(published<Case>("echo-branching").cases.map((one, at) => [at, one] as const))(
  "as published: %i",
  (_, one) => {
    const [signs, options] = [signsOf(one.steps), optionsOf(one.options)];
    expect(planBranch(signs, options) ?? null).toEqual(one.branch);
    expect(planStop(signs, options) ?? null).toEqual(one.stop && { ...one.stop, why: WHY[one.stop.why] });
  },
);

test("what a token shows, by hand", () => {
  // Two of 0.5 after one of 1: entropies 0 and ln 2, confidences -mean(ln 1, ln 1e-9) = 10.361633 and ln 2.
  const [sure, unsure] = signsOf([
    [0, Number.NEGATIVE_INFINITY],
    [-3, -3],
  ]);
  expect(sure?.entropy).toBeCloseTo(0, 6);
  expect(sure?.group).toBeCloseTo(10.361633, 6);
  expect(sure?.rise).toBe(0);
  expect(unsure?.entropy).toBeCloseTo(Math.LN2, 6);
  expect(unsure?.group).toBeCloseTo((10.361633 + Math.LN2) / 2, 6);
  expect(unsure?.rise).toBeCloseTo(Math.LN2, 6);
});

/** Answers are one word: "go" (east, in this dialect's corridor nothing), or with the rest of the chance others. */
async function roll(options: Given, others: readonly number[], tells = true) {
  const dialect = createWordDialect(["east", "a", "b", "c"]);
  const row = (chances: readonly number[]): number[] =>
    Array.from({ length: dialect.vocabularySize }, (_, token) => chances[token - 3] ?? 0);
  const probabilities = Array.from({ length: dialect.vocabularySize }, (_, last) =>
    last === ANSWER ? row(others) : row([]).map((_, token) => (token === END ? 1 : 0)),
  );
  const policy = createTabularPolicy({ probabilities });
  const agent = createTokenAgent({
    policy,
    dialect,
    answerTokens: 2,
    form: { read: (answer) => ({ action: `go ${answer}`, readable: true }), write: (action) => action },
  });
  const scorer = { statistics: policy.statistics, score: policy.score.bind(policy) };
  const env = createCorridor();
  const tasks = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
  const strategy = createStrategy("echo", { candidates: 4, ...options });
  return await rollOut({ env, agent: tells ? agent : { ...agent, scorer }, strategy, tasks, seed: 8 });
}

const EVEN = [0.25, 0.25, 0.25, 0.25];

test("with the published constants paths are a plain group", async () => {
  const { trajectories } = await roll({ size: 3 }, EVEN);
  expect(trajectories).toHaveLength(6);
  expect(trajectories.every(({ parent }) => parent === undefined)).toBe(true);
});

test("the first path is left at the first token that is unsure enough, ordinary ones fill up", async () => {
  // Entropies ln 4, 0, ln 4, 0, …; the third token is the first at which they have risen: by ln 4 / 2. Confidences are
  // ln 4 and 15.54, so G = 6.1; 1 + 2 * 1.39 - (6.1 - 20) / 20 = 4.47.
  const unsure = { entropyHigh: 1, entropyLow: 0, confidenceMost: 20, leastDepth: 1, size: 6, riseMost: 9 };
  const { trajectories } = await roll(unsure, EVEN);
  expect(trajectories).toHaveLength(12);
  const branches = trajectories.filter(({ parent }) => parent !== undefined);
  expect(branches.map(({ parent, info }) => [parent?.step, info?.["echo"]])).toEqual(
    Array.from({ length: 6 }, () => [1, { step: 1, token: 0, width: 4 }]),
  );
  const { trajectories: few } = await roll({ ...unsure, size: 2 }, EVEN);
  expect(few.filter(({ parent }) => parent !== undefined)).toHaveLength(2);
  expect(few).toHaveLength(4);
});

test("the first path and its branches are cut where they go astray, ordinary ones never", async () => {
  const { trajectories } = await roll({ size: 3, leastConfidence: 2 }, EVEN);
  const stopped = trajectories.map(({ info, ending }) => (ending === "truncated" ? info?.["stopped"] : undefined));
  const group = ["low confidence", undefined, undefined];
  expect(stopped).toEqual([...group, ...group]);
  // It keeps the reward of the world so far.
  expect(trajectories.every(({ reward }) => reward.kind === "scored")).toBe(true);
});

test("a policy that does not tell its likeliest tokens is refused", async () => {
  await expect(roll({}, EVEN, false)).rejects.toThrow(/likeliest tokens at every place/);
});

// With the published constants nothing branches.
const loose = { entropyHigh: 0.3, entropyLow: 0, rise: 0, confidenceMost: 30, leastDepth: 1, riseMost: 0.4 };
strategyContract({
  name: "echo that branches and cuts",
  create: () => createStrategy("echo", loose),
  tasks: 2,
  runner: { describe, test },
});
// Some paths are cut at their first answer, some never, some of those that branch too.
strategyContract({
  name: "echo that cuts before it branches",
  create: () => createStrategy("echo", { ...loose, leastConfidence: 11 }),
  tasks: 2,
  runner: { describe, test },
});
