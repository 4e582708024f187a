/** Confidence-weighted vote: a voice counts as much as it was sure of itself. */
import { option } from "../base/index.ts";
import { defineSearch } from "./search.ts";
import { voteOptions, voteOverEpisodes, voteOverSteps } from "./votes.ts";

export const confidenceVote = defineSearch({
  info: {
    title: "Confidence-weighted vote",
    paper: "Self-Consistency (weighted by likelihood); DeepConf and others since",
    confidence: "inferred",
    formula: [
      "chosen = argmax over answers a of sum over voices i with answer_i = a of w_i",
      "w_i = exp(sharpness * mean log p of the tokens that voice i said)",
    ],
    meaning: "Asks n times and acts on the answer with the most confidence behind it.",
    departures: [
      "The mean is over all tokens of the voice; papers also take the least sure window.",
      "Where the policy does not tell log-probabilities every voice counts 1: a majority vote.",
    ],
  },
  options: {
    ...voteOptions,
    sharpness: option.number(1, "how much confidence counts; 0 is a majority vote", { least: 0 }),
  },
  create: ({ n, over, sharpness }) => ({
    run: (scope) =>
      (over === "step" ? voteOverSteps : voteOverEpisodes)(scope, n, (logprob, tokens) =>
        logprob === undefined || tokens === 0 ? 1 : Math.exp((sharpness * logprob) / tokens),
      ),
  }),
});
