/** A process reward model beside the outcome (ReasonFlux-PRM, Fin-PRM). */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { scored } from "limbeck-base/trajectory/score";
import type { Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { concurrencyOption, eachEpisode, noAward, ownSteps } from "./each-episode.ts";
import { failureScore } from "./failure-text.ts";
import { readScore } from "./read-scores.ts";
import { defineAskingReward, type Award, type Givens } from "./reward.ts";

const combinations: Readonly<Record<string, (values: readonly number[]) => number>> = {
  mean: (values) => mean(values),
  min: (values) => values.reduce((worst, value) => Math.min(worst, value)),
  last: (values) => values.at(-1) as number,
  product: (values) => values.reduce((product, value) => product * value, 1),
};

export const process = defineAskingReward({
  id: "process",
  info: {
    title: "Process reward",
    meaning: "Mixes the outcome with what a scorer of steps thinks of the way there.",
    paper: "ReasonFlux-PRM: Trajectory-Aware PRMs for Long Chain-of-Thought Reasoning in LLMs; Fin-PRM",
    confidence: "code",
    source:
      "Gen-Verse/ReasonFlux @ 8980b8b9; ReasonFlux_PRM/Application/verl/workers/fsdp_workers.py: compute_rm_score; aliyun/qwen-dianjin @ fd9b5116; DianJin-PRM/src/verl/workers/fsdp_workers.py: compute_rm_score",
    formula: [
      "R = (1 - blend) * outcome + blend * P;   P = mean, least, last or product of the step scores",
      "outcome: 1 for a success and 0 for a failure",
      "part process: P;   each step: its own score s_t, or with gain what it added, s_t - s_(t-1), and the first nothing",
    ],
    departures: [
      "Blend 0.75 is ReasonFlux-PRM's; Fin-PRM gives the process score alone: blend 1.",
      "In both sources the scorer gives one probability for the whole response, and the last token alone is rewarded; here it gives a score of any size for each step, which is stored too. Options combine and gain are ours.",
      "The published outcome is the check of a boxed mathematical answer, 1 or 0 (the comment in that code says -1); here it is any, by name.",
      "The scorer is an argument, or one that limbeck reward train made (scorer: NAME or DIR).",
      "An outcome without a score leaves the reward unscored unless blend is 1.",
    ],
  },
  needs: ["scoreSteps"],
  options: {
    of: option.text("success", "name of the outcome it is mixed with"),
    blend: option.share(0.75, "weight of the process"),
    combine: option.choice("mean", ["mean", "min", "last", "product"], "how step scores become one"),
    gain: option.flag(false, "a step earns what it added to the score of the one before, and the first nothing"),
    concurrency: concurrencyOption("calls at once"),
  },
  score: async (batch, options, { scoreSteps, signal }) => {
    const give = async (trajectory: Trajectory, steps: readonly Step[]): Promise<Award[]> => {
      const values = await stepScores(scoreSteps, trajectory, steps);
      if (!Array.isArray(values)) return [{ score: values }];
      const whole = (combinations[options.combine] as (typeof combinations)["mean"])(values);
      return [
        { score: blended(readScore(trajectory, options.of), whole, options.blend) },
        { part: "process", score: scored(whole) },
        ...ownSteps(trajectory, earned(values, options.gain), (value) => ({ score: scored(value) })),
      ];
    };
    const { concurrency } = options;
    return { awards: await eachEpisode(batch, { concurrency, signal, without: noAward }, give) };
  },
});

function earned(values: readonly number[], gain: boolean): readonly number[] {
  return gain ? values.map((own, at) => own - (values[at - 1] ?? own)) : values;
}

async function stepScores(
  scoreSteps: NonNullable<Givens["scoreSteps"]>,
  trajectory: Trajectory,
  steps: readonly Step[],
): Promise<number[] | Extract<Score, { kind: "unscored" }>> {
  try {
    const values = Array.from(await scoreSteps(trajectory, steps));
    if (values.length !== steps.length) {
      return { kind: "unscored", why: `the scorer gave ${values.length} scores for ${steps.length} steps` };
    }
    const wrong = values.findIndex((value) => !Number.isFinite(value));
    if (wrong < 0) return values;
    return { kind: "unscored", why: `the scorer gave ${values[wrong]} for step ${steps[wrong]?.index}` };
  } catch (error) {
    return failureScore("the scorer", error) as Extract<Score, { kind: "unscored" }>;
  }
}

function blended(outcome: Score, whole: number, blend: number): Score {
  if (blend === 1) return scored(whole);
  if (outcome.kind === "unscored") return outcome;
  return scored((1 - blend) * outcome.value + blend * whole);
}
