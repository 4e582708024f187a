/** Confidence-weighted vote (DeepConf): of the episodes that were surest of themselves, a voice counts as much as it was sure. */
import { EngineError } from "limbeck-base/base/errors";
import { mean, quantile } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { WholeScorer } from "limbeck-policy/policy/policy";
import { payForReading } from "../walk/pay.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { joinLine } from "../walk/tree/pieces.ts";
import { defineSearch, type SearchScope } from "./search.ts";
import { lineTotals, voteOptions, voteOverEpisodes, voteOverSteps, type Weigh } from "./votes.ts";

const options = {
  ...voteOptions,
  by: option.choice(
    "confidence",
    ["confidence", "likelihood", "value"],
    "what a voice weighs by: the most probable tokens at each place, what was drawn, or a value of whole episodes",
  ),
  topTokens: option.count(20, "confidence: most probable tokens at each place"),
  tail: option.count(2_048, "confidence: last tokens of an episode that count"),
  keep: option.share(0.1, "confidence: share of the voices that vote, the surest; 1 for all"),
  sharpness: option.number(1, "likelihood and value: how much it counts; 0 is a majority vote", { least: 0 }),
};

export const confidenceVote = defineSearch({
  info: {
    title: "Confidence-weighted vote (DeepConf)",
    paper: "Deep Think with Confidence (DeepConf), arXiv 2508.15260; by a quality head: ARRoL",
    confidence: "code",
    source:
      "facebookresearch/deepconf @ 675529d1; deepconf/utils.py: compute_confidence, calculate_tail_confidence, filter_top_confidence, weighted_majority_vote",
    formula: [
      "C_t = -mean of ln p over the topTokens most probable tokens at place t;   w_i = mean of C_t over the last `tail` own tokens of episode i",
      "voices below the (1 - keep) quantile of w have no vote;   chosen = argmax over answers a of sum over voices i with answer_i = a of w_i",
      "by: likelihood: w_i = exp(sharpness * mean ln p of the tokens that voice i said);   by: value: w_i = V(end of episode i)^sharpness",
    ],
    meaning:
      "Asks n times, keeps the voices that were surest, and acts on the answer with the most confidence behind it.",
    departures: [
      "The source asks 512 times offline and 256 online, at temperature 0.6 and top-p 0.95 (its offline script: 1, 1 and the 40 most probable); of the 8 voices here the surest alone votes unless keep is raised.",
      "One of the source's seven votes: the surest tenth by the end of a trace. Its own answer is the plain majority; it also weighs by all tokens and by windows of 2,048 tokens (the least sure, and the least sure tenth), and online stops traces that fall below the tenth percentile of 16 first ones (its script: the ninetieth), of which those below it do not vote.",
      "Published code rounds each C_t to three digits and keeps the drawn token in the mean in any case; here nothing is rounded, the drawn token counts only where it is among the most probable, and a token of probability 0 counts as ln p = -100.",
      "Published answers are texts of a box, equal letter for letter, and without one there is no answer; here they are last actions that mean the same (one that cannot be read votes too, and so does an episode out of steps), and where no episode ended the first is taken. The first episode with the chosen answer is acted on, which may be one without a vote.",
      "A policy that tells the drawn token alone (a chat model), and over: step, weigh by likelihood, at sharpness 1 the normalised weighted sum of self-consistency (arXiv 2203.11171, equation 1); its use here is ours, and all voices vote then, whatever keep is. Without log-probabilities, or where the reading cannot be paid, every voice counts 1.",
      "by: value asks a trained scorer (--scorer) or another value; where that has no opinion the voice counts 0. With outcomes in view V is the outcome of the world, so that it is for searches that do not see them.",
    ],
  },
  options,
  create: ({ n, over, by, sharpness, ...confidence }) => {
    if (by === "value" && over === "step") {
      throw new EngineError(
        "usage",
        "confidence-vote weighs whole episodes by their value, and over is step. Use over=episode, or by=likelihood.",
      );
    }
    const likely: Weigh = (logprob, tokens) =>
      logprob === undefined || tokens === 0 ? 1 : Math.exp((sharpness * logprob) / tokens);
    const byLikelihood = (ends: readonly SearchNode[]): number[] =>
      ends.map((end) => {
        const { logprob, tokens } = lineTotals(end);
        return likely(logprob, tokens);
      });
    const byValue = async (ends: readonly SearchNode[], scope: SearchScope): Promise<number[]> => {
      await scope.evaluate(ends);
      return ends.map(({ estimate = 0 }) => Math.max(0, estimate) ** sharpness);
    };
    const byConfidence = async (ends: readonly SearchNode[], scope: SearchScope): Promise<readonly number[]> => {
      const { scorer, exact } = scope.agent;
      if (!exact || scorer?.topTokens === undefined) return byLikelihood(ends);
      const sure = await confidences(scorer as WholeScorer, ends, scope, confidence);
      return sure === undefined ? ends.map(() => 1) : surest(sure, confidence.keep);
    };
    const weigh = { confidence: byConfidence, likelihood: byLikelihood, value: byValue }[by];
    return { run: (scope) => (over === "step" ? voteOverSteps(scope, n, likely) : voteOverEpisodes(scope, n, weigh)) };
  },
});

type Confidence = Pick<OptionValues<typeof options>, "topTokens" | "tail">;

/** Of each episode; undefined where the reading cannot be paid. */
async function confidences(
  scorer: WholeScorer,
  ends: readonly SearchNode[],
  { purse, signal }: SearchScope,
  { topTokens: count, tail }: Confidence,
): Promise<number[] | undefined> {
  const rows = ends.flatMap((end, at) => tailRows(end, tail).map((row) => ({ ...row, at })));
  for (const { ids } of rows) if (!(await payForReading(purse, ids.length))) return undefined;
  const found = rows.length === 0 ? [] : await scorer.topTokens(rows, { count, signal });
  const places = ends.map((): number[] => []);
  for (const [row, { mask, at }] of rows.entries()) {
    const logprobs = found[row]?.logprobs ?? new Float32Array(0);
    for (const [token, asked] of mask.entries()) {
      if (asked === 1) places[at]?.push(placeConfidence(logprobs.subarray(token * count, (token + 1) * count)));
    }
  }
  return places.map((own) => (own.length === 0 ? 0 : mean(own)));
}

/** The streams of an episode that hold its last own tokens, with these asked for. */
function tailRows(end: SearchNode, tail: number): { readonly ids: Int32Array; readonly mask: Uint8Array }[] {
  const rows: { readonly ids: Int32Array; readonly mask: Uint8Array }[] = [];
  let left = tail;
  for (const { ids, mask } of joinLine(lineTo(end)).streams.toReversed()) {
    const asked = new Uint8Array(mask.length);
    for (let token = mask.length - 1; token >= 0 && left > 0; token -= 1) {
      if (mask[token] !== 1) continue;
      asked[token] = 1;
      left -= 1;
    }
    if (asked.includes(1)) rows.push({ ids, mask: asked });
  }
  return rows;
}

const LEAST_LOGPROB = -100;

/** Large where one token has nearly all the probability, so that the others are improbable. */
export function placeConfidence(logprobs: ArrayLike<number>): number {
  return -mean(Array.from(logprobs, (one) => Math.max(one, LEAST_LOGPROB)));
}

/** The weights of the surest share; 0 for the others. */
export function surest(sure: readonly number[], keep: number): number[] {
  if (sure.length === 0) return [];
  const least = quantile(sure, 1 - keep);
  return sure.map((one) => (one >= least ? one : 0));
}
