/** The presets named paper against the numbers of the scripts that each recipe names as its source. */
import { expect, test } from "vitest";
import { flattenSettings } from "../update/settings.ts";
import { getRecipe } from "./registry.ts";
import { resolveSettings } from "./settings.ts";

const PUBLISHED: Readonly<Record<string, object>> = {
  // run_dapo_qwen2.5_32b.sh: 512 prompts in mini-batches of 32 are 16 steps; answers of 20 * 1024 tokens.
  dapo: {
    tasks: 512,
    group: 16,
    miniBatches: 16,
    clipLow: 0.2,
    clipHigh: 0.28,
    dualClip: 10,
    klWeight: 0,
    answerTokens: 20_480,
    learningRate: 1e-6,
    warmup: 10,
    weightDecay: 0.1,
    clipNorm: 1,
  },
  cso: { "strategy.from": "corrector", "strategy.alternatives": 1, learningRate: 5e-6 },
  "iw-opd": { teacher: "model", context: "none", "credit.over": "step", group: 1, learningRate: 1e-6 },
  // 2 questions on each of 8 devices; the linear decay of the trainer it is made from.
  kepo: {
    tasks: 16,
    group: 8,
    answerTokens: 1024,
    learningRate: 2e-6,
    schedule: "linear",
    finalLearningRate: 0,
    warmup: 0,
    teacherWeight: 1,
    middle: 0.5,
    threshold: 1,
  },
  maestro: { tasks: 1, group: 8, klWeight: 0, learningRate: 1e-6, weightDecay: 0.01 },
  opid: {
    tasks: 16,
    group: 8,
    maxSteps: 30,
    entropyWeight: 0.001,
    weightDecay: 0.01,
    klWeight: 0.01,
    learningRate: 1e-6,
  },
  "scope-a": { teacher: "model", tasks: 256, group: 8, answerTokens: 12_288, learningRate: 5e-5, weightDecay: 0.01 },
  sdft: {
    tasks: 32,
    group: 1,
    answerTokens: 2048,
    skipTokens: 3,
    learningRate: 2e-5,
    beta2: 0.95,
    clipNorm: null,
    form: "words",
    candidates: 20,
  },
  sdpo: {
    aggregation: "token-mean",
    answerTokens: 8192,
    tasks: 32,
    group: 8,
    learningRate: 1e-5,
    warmup: 10,
    weightDecay: 0.01,
    candidates: 100,
    direction: "jsd",
    middle: 0.5,
  },
  // run_alfworld_spear.sh of grpo_trainer; its loss, clip_cov, has no dual clip.
  spear: {
    tasks: 32,
    group: 8,
    maxSteps: 50,
    answerTokens: 512,
    learningRate: 1e-6,
    weightDecay: 0.01,
    maxAge: 5,
    toolUpdates: 200,
    rampUpdates: 200,
    history: 10_240,
    dualClip: null,
    aggregation: "seq-mean-token-sum-norm",
  },
  // tcod_f2b.yaml of ALFWorld.
  tcod: {
    teacher: "model",
    context: "none",
    curriculum: "front-to-back",
    period: 6,
    mostTurns: 30,
    maxSteps: 30,
    tasks: 16,
    group: 1,
    aggregation: "seq-mean-token-mean",
    answerTokens: 512,
    learningRate: 1e-6,
    weightDecay: 0.01,
  },
  // 1 on each of 8 devices, 16 times before a step: 128. A cosine to 0.1 * 5e-6.
  trd: {
    teacher: "reference",
    form: "vocabulary",
    direction: "forward",
    rewriteTemperature: 0.6,
    unfinished: "drop",
    tasks: 128,
    group: 1,
    learningRate: 5e-6,
    schedule: "cosine",
    finalLearningRate: 5e-7,
    weightDecay: 0.005,
    beta2: 0.95,
  },
};

test.each(Object.entries(PUBLISHED))("%s", (name, published) => {
  const recipe = getRecipe(name);
  const settings = resolveSettings({ name, recipe, credit: recipe.credit, preset: "paper" });
  expect(flattenSettings(settings)).toMatchObject(published);
});
