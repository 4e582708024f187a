import { expect, test } from "vitest";
import { createRng } from "../../../packages/base/src/base/rng.ts";
import { grpo } from "../../../packages/core/src/credit/grpo.ts";
import grid from "../../new-worlds/grid.ts";
import { chancesOf, noWeights, placesOf, play, push } from "./chooser.ts";
import { learn } from "./learn.ts";
import { gridReading } from "./readings.ts";
import { treeAdvantages } from "./tool-trees.ts";

test("without weights all are equally likely; a push moves a score by rate times pairs", () => {
  const weights = noWeights();
  const places = [["left"], ["right"]].map((words) => placesOf(["goal right"], words));
  expect([...chancesOf(weights, places)]).toEqual([0.5, 0.5]);
  push(weights, { places, taken: 1, chances: chancesOf(weights, places) }, 0.2);
  // Each action has two pairs (one with what is always there): +0.1 and -0.1 on each, so that the scores are 0.2 and -0.2.
  expect(chancesOf(weights, places)[1]).toBeCloseTo(1 / (1 + Math.exp(-0.4)), 12);
});

test("what a guide says is carried out and not learnt from", async () => {
  const env = await grid.create({ level: "walk", partialCredit: false, seed: 1 });
  const [task] = [...(env.tasks("train", { count: 1 }) as Iterable<never>)];
  const playing = { env, weights: noWeights(), reading: gridReading, rng: createRng(1) };
  const { choices, trajectory } = await play(task as never, "guided", {
    ...playing,
    guide: (episode, before) => (before.length < 2 ? episode.admissible()?.[0] : undefined),
  });
  expect(choices.map((own) => own.length).slice(0, 3)).toEqual([0, 0, 1]);
  expect(trajectory.steps).toHaveLength(choices.length);
});

test("the same seed learns the same, and ends when its steps are spent", async () => {
  const env = await grid.create({ level: "walk", partialCredit: false, seed: 1 });
  const once = async () => {
    const weights = noWeights();
    const plan = { weights, env, reading: gridReading, seed: 1, tasks: 2, group: 4, rate: 0.3, steps: 150, offset: 0 };
    return { updates: await learn({ ...plan, credit: grpo }), weights };
  };
  const [one, other] = [await once(), await once()];
  expect(one).toEqual(other);
  expect(one.weights.some((weight) => weight !== 0)).toBe(true);
  expect(one.updates.at(-1)?.x).toBeLessThan(150);
});

test("episodes that begin alike share those steps, and a step is compared with the others at its fork", () => {
  const episode = (id: string, actions: readonly string[], success: boolean) => ({
    trajectory: { id, group: "task", success, steps: actions.map((action) => ({ action, stateKey: "", valid: true })) },
    choices: [],
  });
  const played = [episode("1", ["a", "b", "c"], true), episode("2", ["a", "b", "d"], false), episode("3", ["a", "e"], false)]; // prettier-ignore
  const found = treeAdvantages({ toolBonus: 0, gamma: 1, trajectoryWeight: 0 })(played as never);
  // Of two siblings the deviation is the square root of one half: z is 1/√2 and -1/√2. All go by "a", which is pushed by nobody.
  const [up, down] = [expect.closeTo(Math.SQRT1_2, 4), expect.closeTo(-Math.SQRT1_2, 4)];
  expect(found).toEqual([[0, up, up], [0, 0, down], [0, down]]); // prettier-ignore
});
