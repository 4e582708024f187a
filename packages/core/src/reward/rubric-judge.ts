/** A model judges the finished trajectory by a rubric, several times. */
import { badOption } from "limbeck-base/base/options";
import { mean, median } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { krippendorffAlpha, sampleAgreement } from "./agreement.ts";
import { askJudge, checkScale, judgeOptions, noRating, type Judged } from "./ask-judge.ts";
import { eachEpisode } from "./each-episode.ts";
import { judgePrompt, rubricOption, type Criterion } from "./judge-prompt.ts";
import { defineAskingReward, type Givens } from "./reward.ts";

const ID = "rubric-judge";
const table = {
  rubric: rubricOption,
  principles: option.list([], { kind: "text" }, "what the judge is to hold on to"),
  ...judgeOptions,
  minSamples: option.count(1, "with fewer usable answers it is unscored"),
  minAgreement: option.share(0, "with less agreement it is unscored"),
  combine: option.choice("mean", ["mean", "median"], "how samples become one"),
  maxCharacters: option.count(40_000, "a longer record loses its middle", 200),
} as const satisfies DeepTable;

export const rubricJudge = defineAskingReward({
  id: ID,
  info: {
    title: "Rubric judge",
    meaning: "A model you pass in judges by a rubric, several times; disagreement and failures stay unscored.",
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
  },
  needs: ["judge"],
  options: table,
  score: async (batch, options, { judge, signal }) => {
    checkScale(ID, options);
    checkRubric(options);
    const { concurrency } = options;
    const judged = await eachEpisode(batch, { concurrency, signal, without: noRating }, (trajectory, steps) =>
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

function checkRubric({ rubric, minSamples, samples }: OptionValues<typeof table>): void {
  const names = new Set(rubric.map(({ name }) => name.toLowerCase()));
  if (names.size < rubric.length) throw badOption(ID, "rubric", rubric, "criteria of different names");
  if (minSamples > samples) throw badOption(ID, "minSamples", minSamples, `at most samples (${samples})`);
}

async function judgeOne(
  prompt: string,
  options: OptionValues<typeof table>,
  judge: NonNullable<Givens["judge"]>,
): Promise<Judged> {
  const names = options.rubric.map(({ name }) => name);
  const { answers, lost } = await askJudge(judge, prompt, names, options);
  if (answers.length < options.minSamples) {
    return noRating(`${answers.length} of ${options.samples} answers could be used: ${lost}`);
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

function weightedMean(answer: ReadonlyMap<string, number>, rubric: readonly Criterion[]): number {
  let sum = 0;
  let weights = 0;
  for (const { name, weight } of rubric) {
    sum += weight * (answer.get(name) ?? Number.NaN);
    weights += weight;
  }
  return sum / weights;
}
