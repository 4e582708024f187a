/** Confidence-weighted vote: a voice counts as much as it was sure of itself. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { defineSearch } from "./search.ts";
import { voteOptions, voteOverEpisodes, voteOverSteps, type Weigh } from "./votes.ts";

export const confidenceVote = defineSearch({
  info: {
    title: "Confidence-weighted vote",
    paper: "Self-Consistency (weighted by likelihood); DeepConf and others since; by a quality head: ARRoL",
    confidence: "inferred",
    formula: [
      "chosen = argmax over answers a of sum over voices i with answer_i = a of w_i",
      "w_i = exp(sharpness * mean log p of the tokens that voice i said);   by: value: w_i = V(end of episode i)^sharpness",
    ],
    meaning: "Asks n times and acts on the answer with the most confidence behind it.",
    departures: [
      "The mean is over all tokens of the voice; papers also take the least sure window.",
      "by: value asks a trained scorer (--scorer) or another value; where that has no opinion the voice counts 0.",
      "Where the policy does not tell log-probabilities every voice counts 1: a majority vote.",
    ],
  },
  options: {
    ...voteOptions,
    by: option.choice("likelihood", ["likelihood", "value"], "what a voice weighs by; a value is of whole episodes"),
    sharpness: option.number(1, "how much confidence counts; 0 is a majority vote", { least: 0 }),
  },
  create: ({ n, over, by, sharpness }) => {
    if (by === "value" && over === "step") {
      throw new EngineError(
        "usage",
        "confidence-vote weighs whole episodes by their value, and over is step. Use over=episode, or by=likelihood.",
      );
    }
    const sure: Weigh = (logprob, tokens) =>
      logprob === undefined || tokens === 0 ? 1 : Math.exp((sharpness * logprob) / tokens);
    const worth: Weigh = (_, __, estimate = 0) => Math.max(0, estimate) ** sharpness;
    return {
      run: (scope) => {
        if (over === "step") return voteOverSteps(scope, n, sure);
        return by === "value" ? voteOverEpisodes(scope, n, worth, true) : voteOverEpisodes(scope, n, sure);
      },
    };
  },
});
