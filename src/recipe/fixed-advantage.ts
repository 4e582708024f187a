/**
 * Controls of a teacher: one fixed negative advantage in its place. A teacher that does no better than these owes nothing
 * to how much it thinks of each word (arXiv 2608.31046 finds them as good).
 *
 * Both are written as opinions that lie one nat below what the policy thought, so that the credit method, its weights and
 * their fading treat them as it treats a teacher: the advantage is minus the weight.
 */
import type { Opinion } from "../distill/index.ts";
import type { Span, Trajectory } from "../trajectory/index.ts";
import type { Taught } from "../update/index.ts";

/** The teacher is read, but only its no counts: every word that it finds less likely gets the same, any other nothing. */
export function pushedDown(episodes: readonly Trajectory[], said: Taught): Taught {
  return {
    ...said,
    opinions: opinionsOf(episodes, (episode, step, span) => {
      const opinion = said.opinions.get(episode.id)?.get(step);
      const old = ownLogprobs(episode, span);
      if (opinion === undefined || old === undefined) return undefined;
      const fixed = (teacher: Float64Array): Float64Array =>
        teacher.map((value, token) => (old[token] as number) - (value < (old[token] as number) ? 1 : 0));
      return {
        ...(opinion.episode === undefined ? {} : { episode: fixed(opinion.episode) }),
        ...(opinion.step === undefined ? {} : { step: fixed(opinion.step) }),
      };
    }),
  };
}

/** No teacher is read: every word of the failed episodes among those that it would have read. */
export function fixedNegative(episodes: readonly Trajectory[], select: (episode: Trajectory) => boolean): Taught {
  const failed = episodes.filter((episode) => episode.success === false && select(episode));
  return {
    opinions: opinionsOf(failed, (episode, _step, span) => {
      const old = ownLogprobs(episode, span);
      return old === undefined ? undefined : { episode: old.map((value) => value - 1) };
    }),
    lost: [],
    sequences: 0,
    tokens: 0,
    tokensSaved: 0,
    analyses: new Map(),
    missing: [],
    distribution: undefined,
  };
}

/** How many words have a fixed advantage. */
export function countFixed(episodes: readonly Trajectory[], { opinions }: Taught): number {
  let count = 0;
  for (const episode of episodes) {
    for (const { index, span } of episode.steps) {
      const opinion = opinions.get(episode.id)?.get(index);
      const word = opinion?.step ?? opinion?.episode;
      const old = span === undefined ? undefined : ownLogprobs(episode, span);
      word?.forEach((value, token) => (count += value < (old?.[token] as number) ? 1 : 0));
    }
  }
  return count;
}

function opinionsOf(
  episodes: readonly Trajectory[],
  make: (episode: Trajectory, step: number, span: Span) => Opinion | undefined,
): ReadonlyMap<string, ReadonlyMap<number, Opinion>> {
  return new Map(
    episodes.map((episode) => {
      const own = episode.steps.flatMap(({ index, span }) => {
        const opinion = span === undefined ? undefined : make(episode, index, span);
        return opinion === undefined ? [] : [[index, opinion] as const];
      });
      return [episode.id, new Map(own)];
    }),
  );
}

/** What the policy thought of the words of a response when it said them. */
function ownLogprobs({ streams }: Trajectory, { stream, start, end }: Span): Float64Array | undefined {
  const logprobs = streams[stream]?.logprobs;
  return logprobs === undefined ? undefined : Float64Array.from(logprobs.subarray(start, end));
}
