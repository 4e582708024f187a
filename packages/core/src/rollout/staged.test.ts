/** Four stages: each does what it is called, and a change of one leaves the logs of the others byte for byte as they were. */
import { expect, test } from "vitest";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { createStrategy } from "./registry.ts";
import { STAGES, type Stage, type StageLogs } from "./staged.ts";

type Options = Readonly<Record<string, string | number>>;

const DRAWING: Options = { generate: "branch", filter: "lot", control: "lot", replay: "lot", size: 4, again: 2 };
const SWAPPED: Readonly<Record<Stage, string>> = {
  generate: "group",
  filter: "mixed",
  control: "need",
  replay: "newest",
};

async function roll(
  options: Options,
  offset: number,
  memory?: ReturnType<NonNullable<ReturnType<typeof createStrategy>["save"]>>,
) {
  const { env, agent } = createCheckGround();
  const strategy = createStrategy("staged", options);
  if (memory !== undefined) strategy.load?.(memory);
  const tasks = [...(env.tasks("train", { offset, count: 4 }) as Iterable<Task>)];
  const seed = offset + 1;
  const { trajectories } = await rollOut({
    env,
    agent,
    strategy,
    tasks,
    seed,
    prefix: `${seed}/`,
    episode: { steps: 5 },
  });
  const saved = strategy.save?.() ?? {};
  return { trajectories, saved, logs: saved["logs"] as unknown as StageLogs };
}

/** For each stage that is swapped the others whose logs stay as they were, to the byte. */
async function keptBy(streams: string): Promise<Record<Stage, Stage[]>> {
  const base = { ...DRAWING, streams };
  const { saved } = await roll(base, 0);
  const before = (await roll(base, 4, saved)).logs;
  const kept = {} as Record<Stage, Stage[]>;
  for (const stage of STAGES) {
    const { logs } = await roll({ ...base, [stage]: SWAPPED[stage] }, 4, saved);
    kept[stage] = STAGES.filter((one) => one !== stage && JSON.stringify(logs[one]) === JSON.stringify(before[one]));
  }
  return kept;
}

test("a change of one stage leaves the logs of the others alike; what the others are handed may change theirs", async () => {
  const kept = await keptBy("own");
  expect(kept.replay).toEqual(["generate", "filter", "control"]);
  expect(kept.filter).toEqual(["generate", "control", "replay"]);
  // Other episodes have other rewards for the filter, and other sizes are other walks.
  expect(kept.generate).toEqual(["control", "replay"]);
  expect(kept.control).toEqual(["replay"]);
});

test("with one stream for all stages a change of the first shifts every other", async () => {
  const kept = await keptBy("shared");
  expect(kept.replay).toEqual([]);
});

test("where a stage is handed the same, its line is the same although an earlier stage changed", async () => {
  const { saved } = await roll(DRAWING, 0);
  const before = (await roll(DRAWING, 4, saved)).logs;
  const { logs } = await roll({ ...DRAWING, control: "fixed" }, 4, saved);
  const lines = new Map(logs.generate.map((line) => [line["walk"], JSON.stringify(line)]));
  // All four walks of each task, so that those of the smaller groups are among them.
  expect(logs.generate.length).toBeGreaterThan(before.generate.length);
  for (const line of before.generate) expect(lines.get(line["walk"])).toBe(JSON.stringify(line));
});

test("each stage does what it is called", async () => {
  const mixedOf = (trajectories: readonly Trajectory[], group: string) =>
    new Set(trajectories.filter((one) => one.group === group).map(({ success }) => success)).size > 1;
  const first = await roll({ generate: "group", filter: "mixed", size: 4 }, 0);
  expect(first.trajectories).toHaveLength(16);
  for (const { group, info } of first.trajectories)
    expect(info?.["stages"]).toEqual({ passed: mixedOf(first.trajectories, group) });
  const passing = first.logs.filter.filter(({ passed }) => passed === true).map(({ task }) => task);
  expect((first.saved["buffer"] as { task: string }[]).map(({ task }) => task)).toEqual(passing);
  expect(passing.length).toBeGreaterThan(1);
  const again = await roll({ generate: "branch", replay: "newest", size: 4, again: 1 }, 4, first.saved);
  expect(again.logs.replay).toEqual([{ task: passing.at(-1) }]);
  expect(again.trajectories.filter(({ group }) => group.startsWith("1/"))).toHaveLength(4);
  expect(again.trajectories.filter(({ parent }) => parent !== undefined)).toHaveLength(12);
  const need = await roll({ control: "need", size: 4 }, 0, first.saved);
  expect(need.logs.control.map(({ size }) => size)).toEqual(
    first.logs.filter.map(({ rewards }) => (new Set(rewards as number[]).size > 1 ? 4 : 2)),
  );
});
