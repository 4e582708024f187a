import { expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { createTabularPolicy } from "limbeck-policy/policy/tabular/tabular-policy";
import { createForest, episodeSteps } from "limbeck-base/trajectory/forest";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createStrategy } from "./registry.ts";
import { published } from "../../../../test/support/published.ts";
import { editDistance, isFork, looksOf, mayFork, rougeL, suffixMatch, treeShare } from "./latr.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { ANSWER, createWordDialect, END } from "../walk/mind/word-dialect.ts";

interface Case {
  /** Of the two most likely tokens. */
  readonly chances: readonly [number, number];
  readonly fork: boolean;
  readonly one: readonly number[];
  readonly other: readonly number[];
  readonly edit: number;
  readonly suffix: number;
  readonly rouge: number;
}

test.each([...published<Case>("latr").cases.entries()])(
  "published code finds the same forks and the same likeness: case %i",
  (_, { chances, fork, one, other, edit, suffix, rouge }) => {
    expect(isFork(...chances, { absolute: 0.25, relative: 0.15 })).toBe(fork);
    expect(editDistance(one, other)).toBeCloseTo(edit, 6);
    expect(suffixMatch(one, other)).toBeCloseTo(suffix, 6);
    expect(rougeL(one, other)).toBeCloseTo(rouge, 6);
  },
);

test("a fork: the second token is likely enough and close behind", () => {
  const script = { absolute: 0.15, relative: 0.25 };
  expect(isFork(0.45, 0.4, script)).toBe(true);
  expect(isFork(0.4, 0.45, script)).toBe(true);
  expect(isFork(0.85, 0.1, script)).toBe(false);
  // The defaults: 0.25 is not above 0.25, and 0.45 - 0.3 = 0.15 is not below 0.15.
  const own = { absolute: 0.25, relative: 0.15 };
  expect(isFork(0.3, 0.25, own)).toBe(false);
  expect(isFork(0.5, 0.35, own)).toBe(false);
  expect(isFork(0.4, 0.3, own)).toBe(true);
});

test("a token that cannot be at a fork is not tried", () => {
  const own = { absolute: 0.25, relative: 0.15 };
  // p1 < (1 + 0.15) / 2 = 0.575
  expect([0.2, 0.26, 0.57, 0.58].map((drawn) => mayFork(drawn, own))).toEqual([false, true, true, false]);
});

test("the tree's share falls every hundred rollouts to a quarter", () => {
  expect([0, 99, 100, 200, 300, 5_000].map(treeShare)).toEqual([1, 1, 0.75, 0.5, 0.25, 0.25]);
});

/** "go east" and "go west" at 0.5 each; or one certain answer. */
async function roll(
  options: Readonly<Record<string, unknown>>,
  chance = 0.5,
  strategy = createStrategy("latr", options),
) {
  const dialect = createWordDialect(["go", "east", "west"]);
  const [go, east, west] = [...dialect.encode("go east west")] as [number, number, number];
  const row = (chances: ReadonlyMap<number, number>): number[] =>
    Array.from({ length: dialect.vocabularySize }, (_, token) => chances.get(token) ?? 0);
  const probabilities = Array.from({ length: dialect.vocabularySize }, (_, last) => {
    if (last === ANSWER) return row(new Map([[go, 1]]));
    return last === go ? row(new Map([[east, chance], [west, 1 - chance]])) : row(new Map([[END, 1]])); // prettier-ignore
  });
  const env = createCorridor({ rooms: 20, maxSteps: 10 });
  const agent = createTokenAgent({ policy: createTabularPolicy({ probabilities }), dialect, answerTokens: 4 });
  const tasks = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
  return await rollOut({ env, agent, strategy, tasks, seed: 4 });
}

const stoppedFor = (trajectories: readonly Trajectory[], why: string): Trajectory[] =>
  trajectories.filter(({ info }) => info?.["stopped"] === why);
const finished = (trajectories: readonly Trajectory[]): Trajectory[] =>
  trajectories.filter(({ info }) => info?.["stopped"] === undefined);

test("branches take the other of two close tokens and stay apart from their parent", async () => {
  const { trajectories } = await roll({ size: 4, similar: 0, firstLook: 6 });
  const forest = createForest(trajectories);
  expect(finished(trajectories)).toHaveLength(8);
  const branches = finished(trajectories).filter(({ parent }) => parent !== undefined);
  expect(branches.length).toBeGreaterThan(3);
  for (const { parent, steps } of branches) {
    expect(parent?.token).toBe(1);
    const replaced = episodeSteps(forest, parent?.trajectory as string).find(({ index }) => index === parent?.step);
    expect(steps[0]?.action).not.toBe(replaced?.action);
  }
  for (const { steps } of stoppedFor(trajectories, "no second token")) {
    expect(steps.map(({ info }) => info?.["unfinished"])).toEqual([true]);
  }
});

test("what stays similar is pruned at a look, and ordinary episodes fill the group", async () => {
  // Of the six tokens "X END go X END go" two may differ: 0.33 is below 0.4.
  const { trajectories } = await roll({ size: 4, firstLook: 6, secondLook: 9, thirdLook: 12 });
  const pruned = stoppedFor(trajectories, "similar to its parent");
  expect(pruned.length).toBeGreaterThan(1);
  // The first step adds two tokens ("X END"), each further one three: six are there with the third.
  expect(pruned.every(({ steps }) => steps.length === 3)).toBe(true);
  expect(finished(trajectories)).toHaveLength(8);
  // A branch that ends before the first look, from the ninth step of ten on, is not compared.
  expect(finished(trajectories).every(({ parent }) => parent === undefined || parent.step >= 8)).toBe(true);
});

test("without close tokens, or with a group of one, it is ordinary sampling", async () => {
  expect((await roll({ size: 3 }, 0.9)).trajectories.every(({ parent }) => parent === undefined)).toBe(true);
  expect((await roll({ size: 1 })).trajectories).toHaveLength(2);
});

test("it remembers how many rollouts there were", async () => {
  const strategy = createStrategy("latr", { size: 4, similar: 0 });
  strategy.load?.({ rollouts: 298 });
  const before = await roll({}, 0.5, strategy);
  expect(before.trajectories.some(({ parent }) => parent !== undefined)).toBe(true);
  // The 300th: a quarter of four is the first episode itself.
  const { trajectories } = await roll({}, 0.5, strategy);
  expect(trajectories.every(({ parent }) => parent === undefined)).toBe(true);
  expect(strategy.save?.()).toEqual({ rollouts: 300 });
  expect(() => strategy.load?.({ rollouts: "many" })).toThrow(expect.objectContaining({ code: "bad-state" }));
});

test("looks are sized to what the parent says from the fork on, or as told", () => {
  const none = { firstLook: null, secondLook: null, thirdLook: null };
  expect(looksOf(none, 100)).toEqual([20, 30, 50]);
  // A countdown answer has about 29 tokens: all three act, where 20, 30 and 50 tokens left one.
  expect(looksOf(none, 29)).toEqual([6, 9, 15]);
  expect(looksOf(none, 5)).toEqual([3]);
  expect(looksOf({ ...none, firstLook: 40 }, 29)).toEqual([9, 15, 40]);
});

/**
 * Answers of eleven tokens: "so" or "well", which changes nothing, then "up" or "down", after which all is different. Says
 * how many of the two ways a group of two holds, on average.
 */
async function waysOf(strategy: ReturnType<typeof createStrategy>): Promise<number> {
  const [up, down] = ["up", "down"].map((way) => [way, ...Array.from({ length: 7 }, (_, at) => `${way}${at}`)]);
  const dialect = createWordDialect(["so", "well", "then", ...(up ?? []), ...(down ?? [])]);
  const id = (word: string): number => dialect.encode(word)[0] as number;
  const next = new Map<number, readonly number[]>([
    [ANSWER, [id("so"), id("well")]],
    ...["so", "well"].map((word) => [id(word), [id("then")]] as const),
    [id("then"), [id("up"), id("down")]],
    ...[up, down].flatMap((words = []) =>
      words.map((word, at) => [id(word), [at < 7 ? id(words[at + 1] as string) : END]] as const),
    ),
  ]);
  const probabilities = Array.from({ length: dialect.vocabularySize }, (_, last) => {
    const after = next.get(last) ?? [END];
    return Array.from({ length: dialect.vocabularySize }, (__, token) =>
      after.includes(token) ? 1 / after.length : 0,
    );
  });
  const env = createCorridor({ rooms: 20, maxSteps: 1 });
  const agent = createTokenAgent({ policy: createTabularPolicy({ probabilities }), dialect, answerTokens: 16 });
  const tasks = [...(env.tasks("train") as Iterable<Task>)];
  let [ways, groups] = [0, 0];
  for (let seed = 0; seed < 6; seed += 1) {
    const { trajectories } = await rollOut({ env, agent, strategy, tasks, seed, prefix: `${seed}/` });
    const forest = createForest(trajectories);
    const found = new Map<string, Set<boolean>>();
    for (const { id: one, group } of finished(trajectories)) {
      const said = episodeSteps(forest, one)
        .map(({ action }) => action)
        .join();
      found.set(group, (found.get(group) ?? new Set()).add(said.includes("up0")));
    }
    for (const own of found.values()) [ways, groups] = [ways + own.size, groups + 1];
  }
  return ways / groups;
}

test("sized to short answers, looks drop a branch that only says the same otherwise; 20, 30 and 50 tokens come too late", async () => {
  // Two samples go both ways in half of the groups. A fork is missed where four draws give the first token again: 1 in 16.
  expect(Math.abs((await waysOf(createStrategy("group", { size: 2 }))) - 1.5)).toBeLessThan(0.2);
  const options = { size: 2, tries: 12, decay: false };
  const published = { ...options, firstLook: 20, secondLook: 30, thirdLook: 50 };
  expect(Math.abs((await waysOf(createStrategy("latr", published))) - 1.5)).toBeLessThan(0.2);
  expect(await waysOf(createStrategy("latr", options))).toBeGreaterThan(1.85);
});
