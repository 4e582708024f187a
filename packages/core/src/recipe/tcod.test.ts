import { describe, expect, test } from "vitest";
import { threeRooms } from "../../../../test/support/provider-bench.ts";
import { corridorDialect, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createStrategy } from "../rollout/registry.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Strategy } from "../walk/line/strategy.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";

recipeContract("tcod");

/** Plays by the strategy that the recipe asks for. */
async function collect(strategy: Strategy = createStrategy("group", { size: 8 })): Promise<readonly Trajectory[]> {
  const env = threeRooms();
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count: 2 })) tasks.push(task);
  const script = () => [
    { text: "go east", probability: 0.5 },
    { text: "wait", probability: 0.5 },
  ];
  const agent = createTokenAgent({ policy: createScriptedPolicy({ script }), dialect: corridorDialect });
  return (await rollOut({ env, agent, tasks, seed: 1, strategy })).trajectories;
}

const own = ({ steps, info }: Trajectory): number => steps.length - Number(info?.["guidedSteps"] ?? 0);

test("front to back: a turn more with every stage", async () => {
  for (const [update, turns] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [5, 3],
  ] as const) {
    const { record, model } = await tryRecipe("tcod", { update, collect, given: { period: 2 } });
    expect(record.metrics["tcod/turns"]).toBe(turns);
    expect(Math.max(...record.episodes.map(own))).toBe(turns);
    expect(Object.keys(record.metrics).filter((name) => name.startsWith("turn/"))).toHaveLength(turns);
    expect(model.weights.flat.every(Number.isFinite)).toBe(true);
    await model.close();
  }
});

test("back to front: the demonstrator hands over one turn earlier with every stage, and its turns are masked", async () => {
  for (const [update, given] of [
    [1, 1],
    [2, 0],
    [9, 0],
  ] as const) {
    const settings = { curriculum: "back-to-front", period: 1 };
    const { record, model } = await tryRecipe("tcod", { update, collect, given: settings });
    // The way through three rooms is two actions long.
    expect(new Set(record.episodes.map(({ info }) => info?.["guidedSteps"]))).toEqual(new Set([given]));
    for (const { steps, streams } of record.episodes) {
      for (const { index, span } of steps) {
        const mask = streams[span?.stream ?? 0]?.mask.subarray(span?.start, span?.end);
        expect(mask?.includes(1)).toBe(index >= given);
      }
    }
    expect(Object.keys(record.metrics).some((name) => name === "turn/0/kl")).toBe(given === 0);
    await model.close();
  }
});

test("an episode that the demonstrator finished is skipped and counted", async () => {
  const given = { curriculum: "back-to-front", period: 1 };
  // A demonstration of three actions, the last of which comes after the end: two are given, and they are enough.
  const tooLong = { id: "long", summary: "Waits, then goes.", start: () => ({ next: () => "go east" }) };
  const finished = async (): Promise<readonly Trajectory[]> =>
    (await collect()).map((one) => ({
      ...one,
      streams: one.streams.map((stream) => ({ ...stream, mask: new Uint8Array(stream.mask.length) })),
    }));
  const { record, model, before } = await tryRecipe("tcod", { collect: finished, demonstrator: tooLong, given });
  expect(record.metrics["tcod/skipped"]).toBe(record.episodes.length);
  expect(model.weights.flat).toEqual(before);
  await model.close();
});

test("without a curriculum whole episodes are played by the training's own strategy", async () => {
  const asked: (Strategy | undefined)[] = [];
  const { record, model } = await tryRecipe("tcod", {
    collect: (strategy) => {
      asked.push(strategy);
      return collect(strategy);
    },
    given: { curriculum: "none" },
  });
  expect(asked).toEqual([undefined]);
  expect(record.metrics["turn/3/kl"]).toBeTypeOf("number");
  await model.close();
});

describe.each(["candidates", "vocabulary"])("as a divergence of %s", (form) => {
  test("the teacher is learned from", async () => {
    const { record, model, before } = await tryRecipe("tcod", { collect, given: { form } });
    expect(record.metrics["loss/policy/divergence"]).toBeGreaterThan(0);
    expect(model.weights.flat).not.toEqual(before);
    await model.close();
  });
});
