/** How far the policy is from its teacher at each turn of an episode, by the words it chose: mean of log p - log q. */
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { wordOf } from "./diagnostics.ts";
import type { Rescored } from "./score-sequences.ts";

export interface TurnDivergence {
  /** Counts from 0. */
  readonly turn: number;
  readonly kl: number;
  readonly tokens: number;
}

/** Turns that the teacher scored, in order. The policy's own log-probabilities are those of the sampling. */
export function measureTurnDivergence(
  episodes: readonly Trajectory[],
  { opinions }: Pick<Rescored, "opinions">,
): TurnDivergence[] {
  const sums = new Map<number, { kl: number; tokens: number }>();
  for (const { id, steps, streams } of episodes) {
    for (const { index, span } of steps) {
      const teacher = wordOf(opinions.get(id)?.get(index));
      const stream = span === undefined ? undefined : streams[span.stream];
      if (span === undefined || teacher === undefined || stream?.logprobs === undefined) continue;
      const sum = sums.get(index) ?? { kl: 0, tokens: 0 };
      sums.set(index, sum);
      for (let token = span.start; token < span.end; token += 1) {
        if (stream.mask[token] !== 1) continue;
        sum.kl += (stream.logprobs[token] as number) - (teacher[token - span.start] as number);
        sum.tokens += 1;
      }
    }
  }
  return [...sums]
    .filter(([, { tokens }]) => tokens > 0)
    .sort(([left], [right]) => left - right)
    .map(([turn, { kl, tokens }]) => ({ turn, kl: kl / tokens, tokens }));
}
