import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { createRng } from "limbeck-base/base/rng";
import { rewardTrajectories } from "limbeck-core/reward/registry";
import { openScorer, requireScorer } from "../scorer/open-scorer.ts";
import { withScorers } from "../scorer/plan-scorers.ts";
import { bookingText, FAULTS, plantedText, plantMany } from "./planted.ts";
import { trainJudge } from "./registry.ts";
import { openJudge, saveJudge } from "./saved-judge.ts";
import { createWordJudge } from "./word-judge.ts";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-judge-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test("a judge that is opened again says what it said, step by step, and serves as a scorer of steps", async () => {
  const { metrics, kept } = await trainJudge("multi-critique", { samples: 300, heldOut: 100, epochs: 3 }, 7);
  const folder = join(root, "critic");
  await saveJudge(folder, { ...kept, metrics, method: "multi-critique", seed: 7 });
  expect(await readFile(join(folder, "JUDGE.md"), "utf8")).toContain("Judge by multi-critique");
  const samples = plantMany(40, FAULTS, createRng("saved"));
  const opened = await openJudge(folder);
  for (const one of samples)
    expect(opened.chance(plantedText(one))).toBeCloseTo(kept.judge.chance(plantedText(one)), 5);
  const steps = samples
    .slice(0, 3)
    .map(({ event, given }, at) =>
      sampleStep(at, { observation: `Books: none.\nEvent 1 of 3: ${event}`, action: bookingText(given) }),
    );
  const said = samples.slice(0, 3).map((one) => opened.chance(plantedText(one)));
  expect(opened.scoreSteps(steps)).toEqual(said);
  expect(await requireScorer(folder)).toEqual({ ofSteps: true });
  const trajectory = sampleTrajectory("day", { steps });
  const scorer = await openScorer(folder);
  expect(await scorer.scoreSteps(trajectory, steps)).toEqual(said);
  await expect(scorer.scoreTokens([Int32Array.of(1)])).rejects.toThrow("reads steps, not tokens");
  const scorers = withScorers({
    rewards: [{ use: "process", scorer: folder, options: { blend: 1, combine: "min" } }],
    reward: "process",
  });
  const { trajectories } = await rewardTrajectories([trajectory], scorers.plan);
  await scorers.close();
  expect(trajectories[0]?.reward).toEqual({ kind: "scored", value: Math.min(...said) });
});

test("judges of texts keep to their texts, and what is no judge is refused", async () => {
  const judge = createWordJudge({ seed: 1 });
  const folder = join(root, "texts");
  await saveJudge(folder, { judge, reads: "texts", metrics: {}, method: "rebuttal", seed: 1 });
  const opened = await openJudge(folder);
  expect(opened.chance("anything")).toBe(0.5);
  expect(() => opened.scoreSteps([])).toThrow('the judge of "rebuttal" reads texts of its own method');
  await writeFile(join(folder, "judge.json"), "{");
  await expect(openJudge(folder)).rejects.toThrow("is not a judge");
  await expect(openJudge(join(root, "nothing"))).rejects.toThrow("is no judge: it has no judge.json");
});
