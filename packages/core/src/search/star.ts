/** STaR: among sampled episodes, the one that its own tokens and the other samples make surest. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { attempt } from "./attempts.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { firstLargest } from "../walk/shares.ts";
import { defineSearch } from "./search.ts";

export const star = defineSearch({
  info: {
    title: "STaR",
    paper: "STaR: Towards Cognitive Table Reasoning via Slow-Thinking Large Language Models",
    confidence: "inferred",
    formula: [
      "confidence = exp(mean log-probability of the sampled tokens)",
      "agreement  = share of the samples that came to the same end",
      "answer     = the sample with the highest balance x confidence + (1 - balance) x agreement",
    ],
    meaning: "Picks among sampled episodes by trajectory uncertainty: token confidence and agreement together.",
    departures: [
      "How the two are combined is not told in the abstract; a weighted sum is.",
      "Only the choice at inference; the training that goes with it is not part of a search.",
      "Two episodes agree when they end in the same state, as the world names states.",
    ],
  },
  options: {
    samples: option.count(8, "episodes of the policy"),
    balance: option.share(0.5, "weight of confidence against agreement"),
  },
  create: ({ samples, balance }) => ({
    run: async (scope) => {
      const ends = await attempt(scope, samples);
      const sure = sureness(ends.map(sampleOf), balance);
      const best = firstLargest(ends.keys(), (at) => sure[at]?.score ?? 0) ?? 0;
      for (const [at, end] of ends.entries()) end.info = { ...end.info, sureness: { ...sure[at] } as never };
      return ends[best];
    },
  }),
});

function sampleOf(end: SearchNode): { readonly answer: string; readonly logprobs: readonly number[] } {
  const line = lineTo(end).filter(({ logprob, said }) => logprob !== undefined && said > 0);
  // The mean over tokens needs each answer as often as it has tokens.
  const logprobs = line.flatMap(({ logprob = 0, said }) => Array.from({ length: said }, () => logprob / said));
  return { answer: `${end.ending} ${end.stateKey}`, logprobs };
}

// How sure a sampled trajectory may be held to be (STaR): what the model's tokens say and what the other samples say.
//
//   confidence = exp(mean log-probability of the sampled tokens)
//   agreement  = share of the samples that came to the same answer
//   score      = balance x confidence + (1 - balance) x agreement

export interface Sample {
  /** Samples of one answer agree. */
  readonly answer: string;
  /** Log-probabilities of its own tokens; empty where the model shows none. */
  readonly logprobs: ArrayLike<number>;
}

export interface Sureness {
  /** Undefined without tokens; then agreement alone decides. */
  readonly confidence: number | undefined;
  readonly agreement: number;
  readonly score: number;
}

export function sureness(samples: readonly Sample[], balance: number): Sureness[] {
  return samples.map(({ answer, logprobs }) => {
    const agreement = samples.filter((other) => other.answer === answer).length / samples.length;
    const confidence = logprobs.length === 0 ? undefined : Math.exp(mean(Array.from(logprobs)));
    const score = confidence === undefined ? agreement : balance * confidence + (1 - balance) * agreement;
    return { confidence, agreement, score };
  });
}
