/** Labels from the world and from ways on. */
import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { createRng } from "limbeck-base/base/rng";
import { getWorld } from "limbeck-worlds/index";
import type { Demonstrator } from "limbeck-core/env/expert";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { continuationShares } from "./continuations.ts";
import { outlooks } from "./outlook.ts";
import { withReplayLabels } from "./replay-labels.ts";
import { scorerRows } from "./rows.ts";

/** An errand by the expert, with a look around before its second action and a second look at the end of the list of slips. */
async function slipped(slipAt: number) {
  const world = await getWorld("household");
  const env = await world.create({ dial: "tiny" });
  const expert = Object.values(world.demonstrators ?? {})[0] as Demonstrator;
  const tasks = [];
  for await (const task of env.tasks("train", { count: 1 })) tasks.push(task);
  const [task] = tasks as [(typeof tasks)[number]];
  const episode = await env.open(task);
  const demonstration = expert.start(task, createRng("x"));
  const steps: Step[] = [];
  let last: string | undefined;
  while (episode.ending === undefined) {
    const { observation, stateKey } = episode;
    const wanted = demonstration.next({ action: last, observation, admissible: episode.admissible() });
    last = steps.length === slipAt ? "look" : wanted;
    await episode.step(last);
    steps.push(sampleStep(steps.length, { observation, stateKey, action: last }));
  }
  const trajectory = sampleTrajectory("slipped", { task, steps, success: episode.success, ending: episode.ending });
  await episode.close();
  return { env, expert, trajectory };
}

const labelsOf = ({ rewards }: Trajectory): unknown[] =>
  rewards.filter(({ name }) => name === "replay").map(({ score }) => (score.kind === "scored" ? score.value : null));

test("by replay every step of the expert is right, and the look in between is not", async () => {
  const { env, expert, trajectory } = await slipped(1);
  expect(trajectory.success).toBe(true);
  const [labelled] = await withReplayLabels([trajectory], { env, demonstrator: expert });
  expect(labelsOf(labelled as Trajectory)).toEqual(trajectory.steps.map((_, at) => (at === 1 ? 0 : 1)));
});

test("what does not play again as it was recorded is not labelled", async () => {
  const { env, expert, trajectory } = await slipped(99);
  const other = { ...trajectory, steps: trajectory.steps.map((step) => ({ ...step, observation: "something else" })) };
  const [same] = await withReplayLabels([other], { env, demonstrator: expert });
  expect(same).toBe(other);
});

test("a state is worth the share of the ways on that succeed, the episode's own included", () => {
  const streams = [{ ids: Int32Array.from([1, 2, 3, 4, 5, 6]), mask: new Uint8Array(6) }];
  const steps = [
    sampleStep(0, { span: { stream: 0, start: 1, end: 3 } }),
    sampleStep(1, { span: { stream: 0, start: 4, end: 6 } }),
  ];
  const root = sampleTrajectory("root", { steps, streams, success: false });
  const way = (id: string, success: boolean | null) =>
    sampleTrajectory(id, { parent: { trajectory: "root", step: 1 }, steps: [], success });
  const shares = continuationShares([root, way("a", true), way("b", true), way("c", false), way("d", null)]);
  // Before step 1: its own failure, two successes and a failure; one that nobody judged is left out.
  expect(shares.get("root")?.get(1)).toBe(0.5);
  const [row] = scorerRows(root, "continuations", shares.get("root"));
  expect([...(row?.mask ?? [])]).toEqual([0, 0, 0, 0, 1, 0, 1]);
  expect([...(row?.returns ?? [])]).toEqual([0, 0, 0, 0, 0.5, 0, 0]);
});

/** Three steps, after which so much is to do (undefined: too much). */
function farOff(id: string, success: boolean, distances: readonly (number | undefined)[]): Trajectory {
  const steps = [0, 1, 2].map((at) => sampleStep(at, { span: { stream: 0, start: 1 + 2 * at, end: 2 + 2 * at } }));
  const streams = [{ ids: Int32Array.from([1, 2, 3, 4, 5, 6]), mask: new Uint8Array(6) }];
  const rewards = distances.map((distance, step) => ({
    name: "distance",
    source: "world" as const,
    score: distance === undefined ? unscored("too far") : scored(distance),
    step,
  }));
  return sampleTrajectory(id, { steps, streams, success, rewards });
}

test("an outlook is half the outcome, half what became of those with as far to go, drawn to wider means", () => {
  const all = [farOff("good", true, [2, 1, 0]), farOff("bad", false, [2, undefined, undefined])];
  const found = outlooks(all, all);
  // p = 2 of 4 places. d = 2: (1 + 8 * 0.5) / (2 + 8) = 0.5, and after one step the same; half of it is the success.
  expect(found.get("good")?.get(0)).toBeCloseTo(0.75, 9);
  // d = 1: (1 + 4) / 9 = 0.5556; after two steps (1 + 8 * 0.5556) / 9 = 0.6049. Too far: (0 + 4) / 9, then 8 * 0.4444 / 9.
  expect(found.get("good")?.get(1)).toBeCloseTo((0.604938 + 1) / 2, 6);
  expect(found.get("bad")?.get(1)).toBeCloseTo(0.395062 / 2, 6);
  // What has ended is worth how it ended.
  expect([found.get("good")?.get(2), found.get("bad")?.get(2)]).toEqual([1, 0]);
  const [row] = scorerRows(all[0] as Trajectory, "outlook", found.get("good"));
  // Before a step stands what the one before it led to, after it what it leads to itself.
  const rounded = [...(row?.returns ?? [])].map((value) => Number(value.toFixed(3)));
  expect(rounded).toEqual([0, 0.75, 0.75, 0.75, 0.802, 0.802, 1]);
  expect([...(row?.mask ?? [])]).toEqual([0, 1, 1, 1, 1, 1, 1]);
});

test("an episode that nobody played again is labelled by how it ended", () => {
  const plain = { ...farOff("plain", true, []), rewards: [] };
  expect([...(outlooks([], [plain]).get("plain")?.values() ?? [])]).toEqual([1, 1, 1]);
});
