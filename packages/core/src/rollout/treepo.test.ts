import { expect, test } from "vitest";
import { createForest } from "limbeck-base/trajectory/forest";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { checkStrategy } from "./strategy.contract.ts";
import { StrategyTally } from "./effect.ts";
import { treepo } from "./treepo.ts";

async function grow(options: Readonly<Record<string, unknown>>, count = 3) {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count }) as Iterable<Task>)];
  return await rollOut({ env, agent, strategy: createStrategy("treepo", options), tasks, seed: 5 });
}

const said = (masks: readonly Uint8Array[]): number =>
  masks.reduce((sum, mask) => sum + mask.reduce((own, on) => own + on, 0), 0);

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
    // Sampled tokens of the whole path before the branch.
    let [tokens, at] = [0, trajectory];
    while (at.parent !== undefined) {
      const { trajectory: above, step, token = 0 } = at.parent;
      const from = forest.get(above);
      if (from === undefined) throw new Error(`no trajectory ${above}`);
      const before = from.steps.filter(({ index }) => index < step);
      tokens += before.reduce((sum, { span }) => sum + (span === undefined ? 0 : span.end - span.start), 0) + token;
      at = from;
    }
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

test("sized by the first path it keeps the contract of strategies", async () => {
  const options = { width: 5, sharing: "unlikely" };
  await expect(
    checkStrategy({ name: "treepo", create: () => createStrategy("treepo", options) }),
  ).resolves.toBeUndefined();
});
