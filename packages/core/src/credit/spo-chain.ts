/**
 * Segment policy optimisation on chains (SPO-chain): values at cut points by Monte Carlo, credit by their differences.
 */
import { option } from "limbeck-base/base/option";
import { entry, real } from "./columns.ts";
import { defineCredit, type RowWith } from "./credit.ts";
import { answers } from "./examples.ts";
import { rowScores } from "./scores.ts";
import { invalidPenalty } from "./shared-options.ts";
import { tokenArrays, trainedTokens } from "./tokens.ts";
import { whitenedTerms } from "./whiten.ts";

export const spoChain = defineCredit({
  info: {
    title: "SPO-chain",
    paper: "Segment Policy Optimization, arXiv 2505.23564",
    confidence: "code",
    source:
      "AIFrameResearch/SPO @ b9fc6a26; src/treetune/episode_generators/math_episode_generator_with_mc_advantages.py: _compute_token_advantages",
    formula: [
      "V(c) = mean score of continuations from the prefix that ends with token c",
      "A = V(next cut) - V(cut) on the tokens between;   after the last cut: score - V(last cut);   before the first: 0",
      "tokens whose probability is maskAbove or more get 0 (before option whiten)",
    ],
    meaning:
      "Credits stretches of a response with how much they changed the expected score, by sampling from the cuts.",
    departures: [
      "A cut at -1 (the prompt) gives the first stretch its credit. Published code has one only where the first token is not sure; the provider cut-continuations always makes one.",
      "Published code leaves sure tokens out of the loss and out of the number that its mean divides by; here their advantage is 0, and they stay in that number.",
      "A published training whitens the advantages of each micro-batch over the tokens that are not sure; here option whiten is off, and counts all trained tokens; it moves the sure ones off 0 too.",
      "Cut points are made by cutPoints. Published runs continue 9 times from each of them (4 for R1-Distill 1.5B and Qwen 0.5B), with 5 or 10 unsure tokens from cut to cut; the provider continues 4 times, 5 tokens apart, from the first 3 cuts of an answer at most. Equal prefixes share their continuations there, so that the answers to a prompt that one process holds have one value at the prompt; here each answer has its own. They sample at temperature 0.6 (Rho and DeepSeekMath from the likeliest 0.9) and divide logits by it everywhere, so that more tokens are sure; here it is 1.",
      "A published answer is a whole episode. Here each step is cut by itself, and what follows its last cut is compared with the outcome of the episode, not with the value at the next step.",
    ],
  },
  needs: ["cutValues"],
  mayNeed: { oldLogprobs: "with maskAbove, on rows that have them" },
  options: {
    maskAbove: option.limit(0.9, "probability from which a token gets nothing", { least: 0, most: 1 }),
    whiten: option.flag(false, "normalise over the trained tokens of the batch"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "proportional", zeroSum: false },
  example: {
    about: "Six tokens, cut at the prompt and behind the second and the fourth.",
    batch: answers(
      [1],
      [
        {
          mask: [1, 1, 1, 1, 1, 1],
          signals: {
            cuts: [
              { token: -1, value: 0.4 },
              { token: 1, value: 0.6 },
              { token: 3, value: 0.3 },
            ],
          },
        },
      ],
    ),
  },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const values = tokenArrays(batch.rows);
    for (const [at, row] of batch.rows.entries()) {
      fillSegments(entry(values, at), row, real(scores, at), options.maskAbove);
    }
    return { terms: whitenedTerms(batch, "segment", { perToken: values }, options.whiten) };
  },
});

function fillSegments(
  target: Float64Array,
  { mask, logprobs, signals: { cuts } }: RowWith<"cutValues">,
  score: number,
  maskAbove: number | null,
): void {
  for (const [at, { token: from, value }] of cuts.entries()) {
    const next = cuts[at + 1];
    const advantage = (next?.value ?? score) - value;
    target.fill(advantage, from + 1, (next?.token ?? mask.length - 1) + 1);
  }
  if (maskAbove === null) return;
  for (const [token, logprob] of (logprobs?.old ?? []).entries()) if (Math.exp(logprob) >= maskAbove) target[token] = 0;
}

/**
 * Where to cut a response: before tokens the policy was not sure of, every so many of them. The number is the last token
 * of the prefix to continue from, -1 for the prompt alone.
 *
 * @example
 * const chances = [0.99, 0.5, 0.99, 0.4];
 * console.log(cutPoints(Float64Array.from(chances, Math.log), Uint8Array.of(1, 1, 1, 1), { every: 1 })); // [ 0, 2 ]
 */
export function cutPoints(
  logprobs: Float64Array,
  mask: Uint8Array,
  { below = 0.9, every = 5 }: { readonly below?: number; readonly every?: number } = {},
): number[] {
  const unsure = trainedTokens(mask).filter((token) => Math.exp(real(logprobs, token)) < below);
  return unsure.filter((_, at) => at % every === 0).map((token) => token - 1);
}
