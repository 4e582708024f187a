/** A model scores every turn, several times (the judge of MAPO). */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import { krippendorffAlpha, sampleAgreement } from "./agreement.ts";
import { askJudge, checkScale, judgeOptions, noRating } from "./ask-judge.ts";
import { eachEpisode, ownSteps } from "./each-episode.ts";
import { turnPrompt } from "./judge-prompt.ts";
import { defineAskingReward, type Award } from "./reward.ts";

export const turnJudge = defineAskingReward({
  id: "turn-judge",
  info: {
    title: "Turn judge",
    meaning: "A model you pass in scores every turn, several times; turns it cannot agree on stay unscored.",
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
  },
  needs: ["judge"],
  options: {
    question: option.text("how much did this turn help to get the task done?", "what is asked of each turn"),
    ...judgeOptions,
    minAgreement: option.share(0, "a turn with less agreement is unscored"),
    maxCharacters: option.count(40_000, "a longer record is cut, every turn alike", 200),
  },
  score: async (batch, options, { judge, signal }) => {
    checkScale("turn-judge", options);
    const { concurrency } = options;
    const judged = await eachEpisode(batch, { concurrency, signal, without: noRating }, async (trajectory, steps) => {
      const names = steps.map(({ index }) => String(index));
      const { answers, lost } = await askJudge(judge, turnPrompt(trajectory, steps, options), names, options);
      if (answers.length === 0) return noRating(`none of ${options.samples} answers could be used: ${lost}`);
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
  return [
    { score: lost ?? scored(mean(turns.map((values) => mean(values)))) },
    ...ownSteps(trajectory, scores, (score) => ({ score })),
  ];
}
