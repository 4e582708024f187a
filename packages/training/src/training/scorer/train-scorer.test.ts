import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { signedEpisode } from "../../../../../test/support/signed-episodes.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { createRng } from "limbeck-base/base/rng";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { rewardTrajectories } from "limbeck-core/reward/registry";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { openScorer } from "./open-scorer.ts";
import { withScorers } from "./plan-scorers.ts";
import { fitStateHead, stateValue } from "./state-head.ts";
import { rateAt, trainScorer } from "./train-scorer.ts";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-scorer-"));
  await writeTinyModel(join(root, "model"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test("a scorer learns what foretells success, says so in its card, and serves the reward process", async () => {
  const trajectories = Array.from({ length: 160 }, (_, at) => signedEpisode(at));
  const out = join(root, "scorer");
  const settings = { model: join(root, "model"), out, trajectories, threads: 1 };
  const card = await trainScorer({ ...settings, epochs: 6, batch: 16, learningRate: 0.02 });
  const { measures } = card;
  expect(measures.auc).toBeGreaterThan(0.95);
  // The sign stands in the first action, so that the middle is as sure as the end.
  expect(measures.midAuc).toBeGreaterThan(0.95);
  expect(measures.tasks).toBe(4);
  expect(measures.beats["random"]?.low).toBeGreaterThan(0);
  expect(JSON.parse(await readFile(join(out, "scorer.json"), "utf8"))).toMatchObject({
    form: 1,
    labels: "outcome",
    loss: "bce",
  });
  expect(await readFile(join(out, "calibration.svg"), "utf8")).toContain("<svg");
  const scorer = await openScorer(out, { threads: 1 });
  try {
    const [good, bad] = [
      trajectories.find(({ success }) => success === true),
      trajectories.find(({ success }) => success === false),
    ] as [Trajectory, Trajectory];
    const [above] = await scorer.scoreSteps(good, good.steps);
    const [below] = await scorer.scoreSteps(bad, bad.steps);
    expect(above).toBeGreaterThan(below as number);
    await expect(
      scorer.scoreSteps(sampleTrajectory("text", { steps: [sampleStep(0)] }), [sampleStep(0)]),
    ).rejects.toThrow("step 0 has no tokens");
  } finally {
    await scorer.close();
  }
  const scorers = withScorers({
    rewards: [{ use: "process", scorer: out, options: { blend: 1, combine: "last" } }],
    reward: "process",
  });
  const { trajectories: rewarded } = await rewardTrajectories(trajectories.slice(0, 4), scorers.plan);
  await scorers.close();
  expect(rewarded.map(({ reward }) => reward.kind)).toEqual(["scored", "scored", "scored", "scored"]);
});

test("a head on the model's own states learns the same, and reads them from what the policy has said at no cost", async () => {
  const trajectories = Array.from({ length: 160 }, (_, at) => signedEpisode(at));
  const out = join(root, "states");
  const card = await trainScorer({ model: join(root, "model"), out, trajectories, threads: 1, kind: "states" });
  expect(card).toMatchObject({ kind: "states", labels: "outcome" });
  expect(card.measures.auc).toBeGreaterThan(0.95);
  const model = await openModel(join(root, "model"), { threads: 1 });
  const reading = await openScorer(out, { threads: 1 });
  const remembering = await openScorer(out, { threads: 1, states: model.keptStates });
  try {
    const talk = model.open({ seed: 1 });
    talk.extend([5, 6, 7]);
    const { ids } = await talk.sample({ maxTokens: 4 });
    talk.extend([8, 9]);
    const context = talk.tokens;
    // The same state: that of the tokens before the last one that was said.
    const before = context.subarray(0, 3 + ids.length - 1);
    const [known, read] = [await remembering.scoreTokens([context]), await reading.scoreTokens([before])];
    expect(known[0]).toBeCloseTo(read[0] as number, 5);
    const other = Int32Array.of(11, 12, 13);
    expect(await remembering.scoreTokens([other])).toEqual(await reading.scoreTokens([other]));
    // New weights: what was said came from other states.
    model.replaced(7);
    expect(model.keptStates?.before(context)).toBeUndefined();
  } finally {
    await Promise.all([reading.close(), remembering.close(), model.close()]);
  }
});

test("a head on states learns the sign of one of four numbers", () => {
  const rng = createRng("states");
  const make = (count: number) => {
    const states = Float32Array.from({ length: 4 * count }, () => rng.normal());
    const labels = Float32Array.from({ length: count }, (_, at) => Number((states[4 * at] as number) > 0));
    return { states, labels };
  };
  const [learning, checking] = [make(2_000), make(500)];
  const head = fitStateHead(learning, checking, 4, { inner: 8, seed: 1 });
  const right = [...checking.labels].filter(
    (label, at) => Number(stateValue(head, checking.states.subarray(4 * at, 4 * at + 4)) > 0) === label,
  );
  expect(right.length / 500).toBeGreaterThan(0.95);
});

test("too little, other tokens and folders that are no scorers are refused by name", async () => {
  const few = { model: join(root, "model"), out: join(root, "none"), trajectories: [signedEpisode(0)] };
  await expect(trainScorer(few)).rejects.toMatchObject({
    code: "bad-input",
    message: expect.stringContaining("at least 20") as string,
  });
  await expect(openScorer(join(root, "model"))).rejects.toThrow("is not a scorer: it has no scorer.json");
});

test("the rate rises for a twentieth and falls to nothing", () => {
  // (1 - 0.525) / 0.95 = 0.5.
  expect([0, 0.025, 0.05, 0.525, 1].map((course) => Number(rateAt(course).toFixed(9)))).toEqual([0.05, 0.5, 1, 0.5, 0]);
});
