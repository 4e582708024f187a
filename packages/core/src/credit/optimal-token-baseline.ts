/**
 * Optimal token baseline: at each position the mean reward to go, weighed by how large the gradients are up to there.
 */
import { option } from "limbeck-base/base/option";
import { add, entry, groupSums, real, intAt } from "./columns.ts";
import { defineCredit, type RowWith } from "./credit.ts";
import { answers } from "./examples.ts";
import { turnGroups } from "./groups.ts";
import { tokenRewards } from "./scores.ts";
import { invalidPenalty, singleton } from "./shared-options.ts";
import { eachTrained, rewardsToGo, tokenArrays } from "./tokens.ts";

const SMALL = 1e-8;

export const optimalTokenBaseline = defineCredit({
  info: {
    title: "Optimal token baseline",
    paper: "The optimal token baseline: variance reduction for long-horizon LLM-RL",
    confidence: "code",
    source:
      "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_multi_turn_optimal_token_baseline_advantage",
    formula: [
      "w_t = 1 - 2 p_t + q_t,   p_t the probability of the token, q_t the sum of squared probabilities",
      "W_t = sum of w up to t;   B_t = sum_i G_t W_t / (sum_i W_t + 1e-8) over the task's rows of the same turn",
      "A_t = G_t - B_t,   G the reward to go",
    ],
    meaning: "Reward to go minus a baseline of its own for each position, with the least variance that one can have.",
    departures: [
      "Position t is the t-th trained token of the row, as in the published multi-turn form; the single-turn form counts all tokens of the response.",
      "Published code has one row for a conversation: W and positions run on over its turns, and the outcome stands at its end. Here a row is a step with the outcome on its own last token, W and positions begin anew in it, and it is compared with rows of the same turn. A turn that one episode alone came to has no baseline and keeps its reward to go (option singleton).",
      "cutLongest is true by default in the published multi-turn function (its text says false) and false in the single-turn one, and no setting reaches it; here false. Its one script takes the single-turn form with 8 answers. The trainer of that commit hands the functions no old log-probabilities, which they require, so that only the functions themselves were compared.",
      "Where rollout correction is on, published code multiplies w by the squared ratio to the sampler; here w has no such factor.",
      "w is held at 0 where rounding would take it below, and is in float64; published code does neither, so that float32 moves its baseline where p is above 0.999 (two words, p 0.9999, outcomes 1 and 0: 0.539 and -0.461 there, 0.6 and -0.4 here). As published, equal scores are not exactly 0 where the policy is nearly sure (0.0025 at p 0.999).",
    ],
  },
  needs: ["oldLogprobs", "collision"],
  options: {
    cutLongest: option.flag(false, "no baseline for the part of the longest row that no other row reaches"),
    singleton: singleton("raw", "the rows of one task at one turn"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "proportional", zeroSum: false },
  example: {
    about: "Two answers of two tokens; the first is right.",
    batch: answers(
      [1, 0],
      [
        { mask: [1, 1], logprobs: { old: [-0.7, -0.2231], collision: [-1, -0.4155] } },
        { mask: [1, 1], logprobs: { old: [-0.7, -0.9163], collision: [-1, -1.0217] } },
      ],
    ),
  },
  compute: (batch, options) => {
    const { rows } = batch;
    const groups = turnGroups(batch);
    const toGo = rewardsToGo(batch, tokenRewards(batch, options.invalidPenalty));
    // A row without a trained token is no company.
    const sizes = groupSums(
      groups,
      Float64Array.from(batch.index.tokens, (tokens) => Math.min(tokens, 1)),
    );
    // Places are trained tokens, counted within their row.
    const longest = batch.index.tokens.reduce((most, tokens) => Math.max(most, tokens), 0);
    const table = (): Float64Array => new Float64Array(groups.count * longest);
    const [reward, weight, reached] = [table(), table(), table()];
    const eachPlace = (visit: (place: number, at: number, token: number) => void): void => {
      for (const [at, { mask }] of rows.entries()) {
        let place = intAt(groups.of, at) * longest;
        eachTrained(mask, (token) => {
          visit(place, at, token);
          place += 1;
        });
      }
    };
    const gradients = rows.map(gradientWeights);
    eachPlace((place, at, token) => {
      const own = real(entry(gradients, at), token);
      add(reward, place, own * real(entry(toGo, at), token));
      add(weight, place, own);
      add(reached, place, 1);
    });
    const baselines = tokenArrays(rows);
    eachPlace((place, at, token) => {
      const isSingle = sizes[intAt(groups.of, at)] === 1;
      const alone = isSingle && options.singleton === "zero" ? real(entry(toGo, at), token) : 0;
      const isAlone = isSingle || (options.cutLongest && reached[place] === 1);
      entry(baselines, at)[token] = isAlone ? alone : real(reward, place) / (real(weight, place) + SMALL);
    });
    return {
      terms: { rewardToGo: { weight: 1, perToken: toGo }, baseline: { weight: -1, perToken: baselines } },
      metrics: { groups: groups.count },
      returns: toGo,
    };
  },
});

/** W of each trained token; (1 - p)^2 + the squares of the others, so never below 0. */
function gradientWeights({ mask, logprobs }: RowWith<"oldLogprobs" | "collision">): Float64Array {
  const weights = new Float64Array(mask.length);
  let sum = 0;
  eachTrained(mask, (token) => {
    const own = Math.exp(real(logprobs.old, token));
    sum += Math.max(1 - 2 * own + Math.exp(real(logprobs.collision, token)), 0);
    weights[token] = sum;
  });
  return weights;
}
