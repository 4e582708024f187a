/**
 * A model scores every turn, several times (the judge of MAPO).
 *
 *   r_k = mean over samples of (answer_k - least) / (most - least)        R = mean over turns
 */
import { z } from "zod";
import { mean } from "../base/index.ts";
import { scored, unscored, type Score, type Trajectory } from "../trajectory/index.ts";
import { krippendorffAlpha, sampleAgreement } from "./agreement.ts";
import { askJudge, unjudged } from "./ask-judge.ts";
import { eachEpisode } from "./each-episode.ts";
import { turnPrompt } from "./judge-prompt.ts";
import { defineAskingReward, type Award } from "./reward.ts";

const Options = z
  .strictObject({
    question: z
      .string()
      .min(1)
      .default("how much did this turn help to get the task done?")
      .describe("what is asked of each turn"),
    least: z.number().default(0).describe("worst answer"),
    most: z.number().default(10).describe("best answer"),
    samples: z.int().min(1).max(64).default(3).describe("how often each trajectory is judged"),
    minAgreement: z.number().min(0).max(1).default(0).describe("a turn with less agreement is unscored"),
    withReasoning: z.boolean().default(false).describe("show the judge the agent's hidden reasoning"),
    maxCharacters: z.int().min(200).default(40_000).describe("a longer record is cut, every turn alike"),
    concurrency: z.int().min(1).max(1024).default(8).describe("trajectories judged at once"),
  })
  .refine(({ least, most }) => least < most, { path: ["most"], error: "must be above least" });

export const turnJudge = defineAskingReward({
  id: "turn-judge",
  title: "Turn judge",
  summary: "A model you pass in scores every turn, several times; turns it cannot agree on stay unscored.",
  paper: "MAPO: Mixed Advantage Policy Optimization for Long-Horizon Multi-Turn Dialogue",
  confidence: "inferred",
  formula: [
    "r_k = mean over samples of (answer_k - least) / (most - least);   R = mean over the turns, where all have a score",
  ],
  departures: [
    "The question is ours; only an abstract was at hand.",
    "An answer that leaves out a turn is not counted.",
    "Credit for turns is another matter: limbeck explain mapo.",
  ],
  needs: ["judge"],
  options: Options,
  score: async (batch, options, { judge, signal }) => {
    const { concurrency } = options;
    const judged = await eachEpisode(batch, { concurrency, signal, without: unjudged }, async (trajectory, steps) => {
      const names = steps.map(({ index }) => String(index));
      const { answers, lost } = await askJudge(judge, turnPrompt(trajectory, steps, options), names, options);
      if (answers.length === 0) return unjudged(`none of ${options.samples} answers could be used: ${lost}`);
      const turns = names.map((name) => answers.map((answer) => answer.get(name) ?? Number.NaN));
      return { awards: turnAwards(trajectory, turns, options.minAgreement), ratings: turns };
    });
    const alpha = krippendorffAlpha(judged.flatMap(({ ratings }) => ratings));
    return { awards: judged.map(({ awards }) => awards), ...(alpha === undefined ? {} : { metrics: { alpha } }) };
  },
});

function turnAwards(trajectory: Trajectory, turns: readonly (readonly number[])[], minAgreement: number): Award[] {
  const scores = turns.map((values): Score => {
    const agreement = sampleAgreement(values);
    if (agreement >= minAgreement) return scored(mean(values));
    return unscored(`the samples agree to ${agreement.toFixed(2)}, less than ${minAgreement}`);
  });
  const lost = scores.find((score) => score.kind === "unscored");
  const shared = turns.length - trajectory.steps.length;
  return [
    { score: lost ?? scored(mean(turns.map((values) => mean(values)))) },
    ...trajectory.steps.map(({ index }, at) => ({ score: scores[shared + at] as Score, step: index })),
  ];
}
