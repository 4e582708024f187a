import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import {
  attention,
  embed,
  expectedAccuracies,
  expectedAccuracy,
  fitLine,
  selectByDifficulty,
  selectionChances,
  withGoal,
} from "./difficulty.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";

const rounded = (values: readonly number[]): number[] => values.map((value) => Number(value.toFixed(6)));
/** Four steps for three rooms: about a third of the episodes get there. */
const episode = { steps: 4 };
const references = [
  { vector: [1, 0], accuracy: 0.8 },
  { vector: [0, 1], accuracy: 0.2 },
];

test("expected accuracy: attention, logit, scale and bias", () => {
  // Logits 1 / sqrt(2) and 0: 2.028115 / 3.028115 = 0.669762.
  expect(rounded(attention([1, 0], references, 1))).toEqual([0.669762, 0.330238]);
  // 0.669762 * 0.8 + 0.330238 * 0.2 = 0.601857; its logit 0.413208 / 0.8 + 0.1 = 0.616510.
  expect(expectedAccuracy([1, 0], references, { temperature: 1 })).toBeCloseTo(0.601857, 6);
  expect(expectedAccuracy([1, 0], references, { temperature: 1, scale: 0.8, bias: 0.1 })).toBeCloseTo(0.649424, 6);
});

test("without references every task is middling; a line through them corrects what they say of one another", () => {
  expect(expectedAccuracies([[1, 0]], [], { temperature: 1 })).toEqual([0.5]);
  // y = 2x - 0.5 exactly; falling points and equal ones are predicted by their mean.
  const line = fitLine([0.4, 0.5, 0.6], [0.3, 0.5, 0.7]);
  expect(line.slope).toBeCloseTo(2, 9);
  expect(line.offset).toBeCloseTo(-0.5, 9);
  expect(fitLine([0.4, 0.6], [0.9, 0.1])).toEqual({ slope: 0, offset: 0.5 });
  expect(fitLine([0.5, 0.5], [0.25, 0.75])).toEqual({ slope: 0, offset: 0.5 });
  const many = Array.from({ length: 8 }, (_, at) => ({
    vector: at < 4 ? [1, 0] : [0, 1],
    accuracy: at < 4 ? 0.75 : 0.25,
  }));
  const [left = 0, right = 0] = expectedAccuracies([[1, 0], [0, 1]], many, { temperature: 0.1 }); // prettier-ignore
  expect(left).toBeCloseTo(0.75, 2);
  expect(right).toBeCloseTo(0.25, 2);
  // Nearly even attention: without itself each of the better four is predicted by 0.4935, each of the others by 0.5065, the
  // wrong way round. From the means of the seven, 0.4643 and 0.5357, that is 0.0292 up and down where 0.2857 came of it.
  const even = expectedAccuracies([[1, 0], [0, 1]], many, { temperature: 3 }); // prettier-ignore
  expect(even[0]).toBeCloseTo(0.786779, 6); // 0.5 + 0.285714 / 0.029218 * 0.029327
  expect(even[1]).toBeCloseTo(0.213221, 6);
});

test("selection: chances by distance from one half", () => {
  expect(rounded(selectionChances([0.5, 0.48, 0.9], 0.1))).toEqual([0.544352, 0.445678, 0.00997]);
  expect(rounded(selectionChances([0.5, 0.48, 0.9], 1e-3))).toEqual([1, 0, 0]);
  expect(selectByDifficulty([0.9, 0.5, 0.1, 0.45], 2, 1e-3, createRng(1))).toEqual([1, 3]);
  // Draws come out in the proportions that they should: 0.544352 of 4,000, give or take four deviations.
  const rng = createRng("draws");
  let first = 0;
  for (let draw = 0; draw < 4_000; draw += 1)
    first += selectByDifficulty([0.5, 0.48, 0.9], 1, 0.1, rng)[0] === 0 ? 1 : 0;
  expect(Math.abs(first - 4_000 * 0.544352)).toBeLessThan(4 * Math.sqrt(4_000 * 0.25));
});

test("goals of the same words point the same way", () => {
  const cosine = (left: string, right: string): number =>
    embed(left).reduce((sum, value, at) => sum + value * (embed(right)[at] ?? 0), 0);
  expect(cosine("put a hot egg on the table", "On the table put a hot egg!")).toBeCloseTo(1, 9);
  expect(cosine("put a hot egg on the table", "sum of 3 and 9")).toBeLessThan(0.7);
  expect(embed("")).toEqual(Array.from({ length: 64 }, () => 0));
});

test("a goal is remembered once, as it was last, and the oldest go first", () => {
  const known = [
    { goal: "a", accuracy: 0 },
    { goal: "b", accuracy: 0.5 },
  ];
  expect(withGoal(known, { goal: "a", accuracy: 1 }, 2)).toEqual([known[1], { goal: "a", accuracy: 1 }]);
  expect(withGoal(known, { goal: "c", accuracy: 1 }, 2)).toEqual([known[1], { goal: "c", accuracy: 1 }]);
});

test("half of the groups are fresh, the others are earlier ones as they were and are not stored again", async () => {
  const { env, agent } = createCheckGround();
  const strategy = createStrategy("replay", { size: 4 });
  const lake: Trajectory[] = [];
  const sink = { append: async (trajectory: Trajectory) => void lake.push(trajectory) };
  const roll = async (offset: number, seed: number) => {
    const tasks = [...(env.tasks("train", { offset, count: 4 }) as Iterable<Task>)];
    return await rollOut({ env, agent, strategy, tasks, seed, sink, prefix: `${seed}/`, episode });
  };
  const first = await roll(0, 1);
  expect(new Set(first.trajectories.map(({ group }) => group)).size).toBe(4);
  const mixed = [...new Set(first.trajectories.map(({ group }) => group))].filter(
    (group) => new Set(first.trajectories.filter((one) => one.group === group).map(({ success }) => success)).size > 1,
  );
  expect(mixed.length).toBeGreaterThanOrEqual(2);

  // Nothing was known of the first tasks.
  expect(first.trajectories.every(({ info }) => info?.["expectedSuccess"] === 0.5)).toBe(true);

  const [known, ...others] = (strategy.save?.()["known"] ?? []) as unknown as readonly { readonly accuracy: number }[];
  const next = await roll(4, 2);
  // All goals read alike and are remembered once, so what is expected is what the last of them came to.
  expect(others).toEqual([]);
  for (const { info } of next.trajectories.filter(({ group }) => group.startsWith("2/"))) {
    expect(info?.["expectedSuccess"]).toBeCloseTo(known?.accuracy ?? Number.NaN, 9);
  }
  const groups = [...new Set(next.trajectories.map(({ group }) => group))];
  const again = groups.filter((group) => group.startsWith("1/"));
  expect([groups.length, again.length]).toEqual([4, 2]);
  // All right or all wrong: not worth giving again.
  expect(mixed).toEqual(expect.arrayContaining(again));
  expect(next.trajectories.filter(({ group }) => again.includes(group))).toHaveLength(8);
  expect(next.episodes).toBe(8);
  expect(lake).toHaveLength(16 + 8);
  expect(new Set(lake.map(({ id }) => id)).size).toBe(24);
});

test("a task that is rolled out again is not replayed, and groups grow too old", async () => {
  const { env, agent } = createCheckGround();
  const strategy = createStrategy("replay", { size: 4, oldest: 1 });
  const roll = async (offset: number, seed: number) => {
    const tasks = [...(env.tasks("train", { offset, count: 4 }) as Iterable<Task>)];
    return await rollOut({ env, agent, strategy, tasks, seed, prefix: `${seed}/`, episode });
  };
  await roll(0, 1);
  const same = await roll(0, 2);
  expect(same.trajectories.every(({ group }) => group.startsWith("2/"))).toBe(true);
  const later = await roll(4, 3);
  expect(later.trajectories.some(({ group }) => group.startsWith("1/"))).toBe(false);
});
