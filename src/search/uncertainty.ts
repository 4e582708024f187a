/**
 * How sure a sampled trajectory may be held to be (STaR): what the model's tokens say and what the other samples say.
 *
 *   confidence = exp(mean log-probability of the sampled tokens)
 *   agreement  = share of the samples that came to the same answer
 *   score      = balance x confidence + (1 - balance) x agreement
 */
import { mean } from "../base/index.ts";

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
