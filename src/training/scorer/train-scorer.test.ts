import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../test/support/samples.ts";
import { signedEpisode } from "../../../test/support/signed-episodes.ts";
import { writeTinyModel } from "../../../test/support/tiny-folder.ts";
import { rewardTrajectories } from "../../reward/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import { openScorer } from "./open-scorer.ts";
import { withScorers } from "./plan-scorers.ts";
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
