/** A reward for each token from a reward model that is itself a language model (GenARM). */
import { mapLimit } from "limbeck-base/base/concurrency";
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { concurrencyOption } from "./each-episode.ts";
import { failureScore } from "./failure-text.ts";
import { defineAskingReward, type Award, type Givens } from "./reward.ts";

export const autoregressive = defineAskingReward({
  id: "autoregressive",
  info: {
    title: "GenARM token reward",
    meaning: "Scores every token by its log-probability under a reward model, and the response by their sum.",
    paper: "GenARM: Reward Guided Generation with Autoregressive Reward Model for Test-time Alignment",
    confidence: "code",
    source: "Yuancheng-Xu/GenARM @ 824e8463; training_trl/arm_trainer.py: arm_loss",
    formula: ["token: log pi_r(y_t | x, y_<t);   step: their sum over the response;   R = sum over steps"],
    departures: [
      "The reward model is an argument; limbeck reward train --kind autoregressive trains one on pairs, and --guide draws from a policy times it.",
      "Published code trains on beta times the sums (0.05 for HH-RLHF, 0.1 for Tulu, 0.01 and 0.5 for SafeRLHF); here beta is 1, so that the gap of a pair at which training stops pushing is some 20 times smaller.",
      "Published code scores finished answers for its logs alone, and adds alpha times the scores to those of the model that writes (alpha 1; its temperature 0.5 undoes a division by 1 + alpha, so it is 1 here). Here the sums are the reward, without beta.",
      "A branch counts its own steps only. Tokens the policy did not write count 0; perToken divides by them too. Published code has a mean over tokens for tests only (length_normalization).",
    ],
  },
  needs: ["scoreTokens"],
  options: {
    level: option.choice("step", ["trajectory", "step", "token"], "how fine the stored rewards are"),
    perToken: option.flag(false, "divide sums by the number of tokens, so that length does not pay or cost"),
    concurrency: concurrencyOption("calls at once"),
  },
  score: async (batch, options, { scoreTokens, signal }) => {
    const give = async (trajectory: Trajectory): Promise<Award[]> => {
      if (trajectory.steps.length === 0) return [{ score: unscored("it has no steps") }];
      const found: (Float64Array | Score)[] = [];
      for (const step of trajectory.steps) found.push(await tokenScores(scoreTokens, trajectory, step));
      return awardsOf(trajectory, found, options);
    };
    return { awards: await mapLimit(batch, options.concurrency, give, signal === undefined ? {} : { signal }) };
  },
});

async function tokenScores(
  scoreTokens: NonNullable<Givens["scoreTokens"]>,
  trajectory: Trajectory,
  step: Step,
): Promise<Float64Array | Score> {
  if (step.span === undefined) return unscored(`step ${step.index} has no tokens`);
  const { stream, start, end } = step.span;
  try {
    const values = Float64Array.from(await scoreTokens(trajectory, step));
    if (values.length !== end - start) {
      return unscored(
        `the reward model gave ${values.length} scores for the ${end - start} tokens of step ${step.index}`,
      );
    }
    const mask = trajectory.streams[stream]?.mask.subarray(start, end);
    const masked = values.map((value, token) => (mask?.[token] === 0 ? 0 : value));
    const wrong = masked.find((value) => !Number.isFinite(value));
    return wrong === undefined ? masked : unscored(`the reward model gave ${wrong} for a token of step ${step.index}`);
  } catch (error) {
    return failureScore("the reward model", error);
  }
}

function awardsOf(
  trajectory: Trajectory,
  found: readonly (Float64Array | Score)[],
  { level, perToken }: { readonly level: string; readonly perToken: boolean },
): Award[] {
  let total = 0;
  let tokens = 0;
  let lost: Score | undefined;
  const finer: Award[] = [];
  for (const [at, { index }] of trajectory.steps.entries()) {
    const own = found[at] as Float64Array | Score;
    if (!(own instanceof Float64Array)) {
      lost ??= own;
      if (level !== "trajectory") finer.push({ score: own, step: index });
      continue;
    }
    const sum = own.reduce((left, right) => left + right, 0);
    total += sum;
    tokens += own.length;
    if (level === "trajectory") continue;
    finer.push({ score: scored(perToken ? sum / Math.max(1, own.length) : sum), step: index });
    if (level === "step") continue;
    for (const [token, value] of own.entries()) {
      finer.push({ score: scored(value), step: index, tokens: { start: token, end: token + 1 } });
    }
  }
  return [{ score: lost ?? scored(perToken ? total / Math.max(1, tokens) : total) }, ...finer];
}
