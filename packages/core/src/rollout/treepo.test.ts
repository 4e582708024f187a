import { expect, test } from "vitest";
import { createForest } from "limbeck-base/trajectory/forest";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { checkStrategy } from "./strategy.contract.ts";
import { StrategyTally } from "./effect.ts";
import { treepo } from "./treepo.ts";

async function grow(options: Readonly<Record<string, unknown>>, count = 3, seed = 5) {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count }) as Iterable<Task>)];
  return await rollOut({ env, agent, strategy: createStrategy("treepo", options), tasks, seed });
}

const said = (masks: readonly Uint8Array[]): number =>
  masks.reduce((sum, mask) => sum + mask.reduce((own, on) => own + on, 0), 0);

/** Sampled tokens of the whole path before it left its parent. */
function tokensBefore(forest: ReturnType<typeof createForest>, { parent }: Trajectory): number {
  if (parent === undefined) return 0;
  const from = forest.get(parent.trajectory);
  if (from === undefined) throw new Error(`no trajectory ${parent.trajectory}`);
  const before = from.steps.filter(({ index }) => index < parent.step);
  const own = before.reduce((sum, { span }) => sum + (span === undefined ? 0 : span.end - span.start), 0);
  return tokensBefore(forest, from) + own + (parent.token ?? 0);
}

test("the width is reached exactly, whatever finishes early", async () => {
  for (const sharing of ["equal", "unlikely", "likely"]) {
    for (const restart of ["boundary", "unlikely"]) {
      const { trajectories, episodes } = await grow({ width: 6, segment: 5, sharing, restart });
      expect(episodes).toBe(18);
      expect(trajectories.every(({ reward }) => reward.kind === "scored")).toBe(true);
    }
  }
});

test("paths part at segment boundaries: first at the root, then after every so many tokens", async () => {
  const { trajectories } = await grow({ width: 8, segment: 4, firstLeast: 2, firstMost: 2 }, 6);
  const forest = createForest(trajectories);
  let deep = 0;
  for (const trajectory of trajectories) {
    const { parent } = trajectory;
    if (parent === undefined) continue;
    const tokens = tokensBefore(forest, trajectory);
    expect(tokens % 4).toBe(0);
    if (tokens > 0) deep += 1;
    expect(wholeStreams(forest, trajectory)[0]?.ids.length).toBeGreaterThan(0);
  }
  expect(deep).toBeGreaterThan(6);
});

test("a path ends after its last segment, with the world's reward so far", async () => {
  const { trajectories } = await grow({ width: 4, segment: 2, segments: 3 });
  const cut = trajectories.filter(({ info }) => info?.["stopped"] === "depth");
  expect(cut.length).toBeGreaterThan(4);
  for (const { reward, success, ending } of cut) {
    expect({ reward, success, ending }).toEqual({
      reward: { kind: "scored", value: 0 },
      success: false,
      ending: "truncated",
    });
  }
  expect(said(trajectories.flatMap(({ streams }) => streams.map(({ mask }) => mask)))).toBeLessThanOrEqual(3 * 4 * 6);
});

test("a restart at the least likely token makes no path longer than its segments", async () => {
  const options = { width: 12, segment: 4, segments: 3, firstMost: 2, fanOut: 1, restart: "unlikely" };
  const { trajectories } = await grow(options, 8, 0);
  const forest = createForest(trajectories);
  const lengths = trajectories.map((one) => tokensBefore(forest, one) + said(one.streams.map(({ mask }) => mask)));
  expect(Math.max(...lengths)).toBe(12);
});

test("a width of one is an ordinary episode", async () => {
  const { trajectories } = await grow({ width: 1 });
  expect(trajectories.map(({ parent, ending }) => [parent, ending === "failed"])).toEqual([
    [undefined, false],
    [undefined, false],
    [undefined, false],
  ]);
});

test("segments of one token keep the contract of strategies", async () => {
  const options = { segment: 1, width: 4, sharing: "unlikely", restart: "unlikely", segments: 9 };
  await expect(
    checkStrategy({ name: "treepo", create: () => createStrategy("treepo", options) }),
  ).resolves.toBeUndefined();
});

test("without a segment it is a quarter of the first path: the others part from it there, and nothing is cut", async () => {
  const { trajectories, episodes } = await grow({ width: 8 }, 4);
  expect(episodes).toBe(32);
  expect(trajectories.filter(({ info }) => info?.["stopped"] !== undefined)).toEqual([]);
  const tally = new StrategyTally();
  for (const trajectory of trajectories) tally.add(trajectory);
  const metrics = tally.metrics(treepo.effect, { tasks: 4, prefix: "", kept: undefined });
  // Two paths for the first quarter, four for the second, eight for the rest: (8 - 2 + 8 - 4) / 4 of 8 are shared, 0.31,
  // where all are as long as the first.
  expect(metrics["strategy/tokensSaved"]).toBeGreaterThan(0.2);
  expect(metrics["strategy/branches"]).toBeGreaterThan(16);
  for (const root of trajectories.filter(({ parent }) => parent === undefined)) {
    const length = said(root.streams.map(({ mask }) => mask));
    const quarter = Math.ceil(length / 4);
    for (const { parent } of trajectories) {
      if (parent?.trajectory !== root.id) continue;
      const before = root.steps.filter(({ index }) => index < parent.step);
      const tokens = before.reduce((sum, { span }) => sum + (span === undefined ? 0 : span.end - span.start), 0);
      expect((tokens + (parent.token ?? 0)) % quarter).toBe(0);
    }
  }
});

test("every inner boundary of the first path is open, the last one too", async () => {
  const { trajectories } = await grow({ width: 16, firstMost: 2 }, 4);
  const roots = new Map(trajectories.flatMap((one) => (one.parent === undefined ? [[one.id, one] as const] : [])));
  const forest = createForest(trajectories);
  const left = trajectories.flatMap((one) => {
    const root = roots.get(one.parent?.trajectory ?? "");
    if (root === undefined) return [];
    return [tokensBefore(forest, one) / Math.ceil(said(root.streams.map(({ mask }) => mask)) / 4)];
  });
  expect([...new Set(left)].sort((one, other) => one - other)).toEqual([0, 1, 2, 3]);
});

test("sized by the first path it keeps the contract of strategies", async () => {
  const options = { width: 5, sharing: "unlikely" };
  await expect(
    checkStrategy({ name: "treepo", create: () => createStrategy("treepo", options) }),
  ).resolves.toBeUndefined();
});
