/**
 * A model judges the finished trajectory by a rubric, several times.
 *
 *   sample = (sum over criteria of w * (answer - least) / (most - least)) / (sum of w)        R = mean over samples
 */
import { z } from "zod";
import { mean, median } from "../base/index.ts";
import { scored, unscored } from "../trajectory/index.ts";
import { krippendorffAlpha, sampleAgreement } from "./agreement.ts";
import { askJudge, unjudged, type Judged } from "./ask-judge.ts";
import { eachEpisode } from "./each-episode.ts";
import { Criterion, judgePrompt, type CriterionValues } from "./judge-prompt.ts";
import { defineAskingReward, type Givens } from "./reward.ts";

const Options = z
  .strictObject({
    rubric: z
      .array(Criterion)
      .min(1)
      .refine(
        (rubric) => new Set(rubric.map(({ name }) => name.toLowerCase())).size === rubric.length,
        "two criteria have one name",
      )
      .default([{ name: "success", question: "Was the task done, completely and as it was asked for?", weight: 1 }])
      .describe("criteria: name, question and weight"),
    principles: z.array(z.string().min(1)).default([]).describe("what the judge is to hold on to"),
    least: z.number().default(0).describe("worst answer"),
    most: z.number().default(10).describe("best answer"),
    samples: z.int().min(1).max(64).default(3).describe("how often each trajectory is judged"),
    minSamples: z.int().min(1).default(1).describe("with fewer usable answers it is unscored"),
    minAgreement: z.number().min(0).max(1).default(0).describe("with less agreement it is unscored"),
    combine: z.enum(["mean", "median"]).default("mean").describe("how samples become one"),
    withReasoning: z.boolean().default(false).describe("show the judge the agent's hidden reasoning"),
    maxCharacters: z.int().min(200).default(40_000).describe("a longer record loses its middle"),
    concurrency: z.int().min(1).max(1024).default(8).describe("trajectories judged at once"),
  })
  .refine(({ least, most }) => least < most, { path: ["most"], error: "must be above least" })
  .refine(({ minSamples, samples }) => minSamples <= samples, {
    path: ["minSamples"],
    error: "must not be above samples",
  });

export const rubricJudge = defineAskingReward({
  id: "rubric-judge",
  title: "Rubric judge",
  summary: "A model you pass in judges by a rubric, several times; disagreement and failures stay unscored.",
  paper: "Zheng et al. 2023 (LLM as a judge), arXiv 2306.05685; alpha: Krippendorff",
  confidence: "practice",
  formula: [
    "sample = (sum of w * (answer - least) / (most - least)) / (sum of w);   R = mean or median over samples",
    "part agreement = 1 - 2 * mean |sample - mean|;   metric alpha = Krippendorff's alpha over the batch",
  ],
  departures: [
    "The text under judgement is quoted as a JSON string and called data. That hinders text which speaks to the judge; the screen judge-tampering looks for it as well.",
    "An answer without a usable number is not counted; if none can be used, the trajectory is unscored.",
  ],
  needs: ["judge"],
  options: Options,
  score: async (batch, options, { judge, signal }) => {
    const { concurrency } = options;
    const judged = await eachEpisode(batch, { concurrency, signal, without: unjudged }, (trajectory, steps) =>
      judgeOne(judgePrompt(trajectory, steps, options), options, judge),
    );
    const samples = judged.map(({ ratings: [own = []] }) => own);
    const alpha = krippendorffAlpha(samples);
    const answers = samples.reduce((sum, own) => sum + own.length, 0);
    return {
      awards: judged.map(({ awards }) => awards),
      metrics: { usableAnswers: answers, ...(alpha === undefined ? {} : { alpha }) },
    };
  },
});

async function judgeOne(
  prompt: string,
  options: z.output<typeof Options>,
  judge: NonNullable<Givens["judge"]>,
): Promise<Judged> {
  const names = options.rubric.map(({ name }) => name);
  const { answers, lost } = await askJudge(judge, prompt, names, options);
  if (answers.length < options.minSamples) {
    return unjudged(`${answers.length} of ${options.samples} answers could be used: ${lost}`);
  }
  const samples = answers.map((answer) => weightedMean(answer, options.rubric));
  const agreement = sampleAgreement(samples);
  const value = options.combine === "mean" ? mean(samples) : median(samples);
  const agreed = agreement >= options.minAgreement;
  const why = `the samples agree to ${agreement.toFixed(2)}, less than ${options.minAgreement}`;
  const missed =
    answers.length === options.samples
      ? {}
      : { comment: `${options.samples - answers.length} answers could not be used: ${lost}` };
  return {
    awards: [
      { score: agreed ? scored(value) : unscored(why), ...missed },
      { part: "agreement", score: samples.length < 2 ? unscored("there is one sample") : scored(agreement) },
      ...names.map((part) => ({ part, score: scored(mean(answers.map((answer) => answer.get(part) ?? Number.NaN))) })),
    ],
    ratings: [samples],
  };
}

function weightedMean(answer: ReadonlyMap<string, number>, rubric: readonly CriterionValues[]): number {
  let sum = 0;
  let weights = 0;
  for (const { name, weight } of rubric) {
    sum += weight * (answer.get(name) ?? Number.NaN);
    weights += weight;
  }
  return sum / weights;
}
