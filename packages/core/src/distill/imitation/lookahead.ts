/**
 * Lookahead distillation: what a search around a state has found, compressed to a short chain of causes and effects that
 * a policy can say, or predict, without searching.
 *
 *   value(way) = reward of its step + gamma * the best value among the ways from where it led
 */
import { mean } from "limbeck-base/base/statistics/summary";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Forest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { crossingsOf, type Crossing, type Way } from "../pairs/crossings.ts";
import { observationAfter } from "./early-experience.ts";
import { inShort, reasonedLesson, type Lesson, type ThoughtPlace } from "./lesson.ts";

export interface LookaheadOptions {
  readonly place: ThoughtPlace;
  readonly write: (thought: string, action: string) => string;
  /** Steps of the chain. */
  readonly depth: number;
  /** Other ways that are named. */
  readonly others: number;
  readonly gamma: number;
  /** The best way must be better than the next one by more than this. */
  readonly gap: number;
}

/** What follows one action: what was seen, what it earned, and what was best after it. */
export interface Outlook {
  readonly way: Way;
  readonly observation: string;
  readonly reward: number;
  readonly value: number;
  readonly best: Outlook | undefined;
}

/** The ways from a point, the best first; of equal value in the order of their names. */
export function outlooks({ ways }: Crossing, gamma: number): Outlook[] {
  return ways
    .flatMap((way): Outlook[] => {
      const [taker] = way.takers;
      const observation = taker === undefined ? undefined : observationAfter(taker.trajectory, taker.step);
      if (observation === undefined) return [];
      const reward = mean(way.takers.map(({ step }) => scoreValue(step.reward) ?? 0));
      const later = way.next.flatMap((next) => outlooks(next, gamma).slice(0, 1));
      const [best] = later.toSorted((left, right) => right.value - left.value);
      return [{ way, observation, reward, value: reward + gamma * Math.max(0, best?.value ?? 0), best }];
    })
    .toSorted((left, right) => right.value - left.value);
}

/** The best line as a chain, then where other ways lead. */
export function chainText(
  [best, ...others]: readonly Outlook[],
  { depth, others: most }: Pick<LookaheadOptions, "depth" | "others">,
): string {
  const chain: string[] = [];
  for (let next = best; next !== undefined && chain.length < depth; next = next.best) {
    const earned = next.reward > 0 ? ` (+${Number(next.reward.toFixed(2))})` : "";
    chain.push(`${next.way.action} -> ${inShort(next.observation, 60)}${earned}`);
  }
  const rest = others.slice(0, most).map(({ way, observation }) => `not ${way.action} -> ${inShort(observation, 60)}`);
  return [...chain, ...rest].join("\n");
}

/** One lesson for each point where the search tells ways apart. */
export function lookaheads(trajectories: readonly Trajectory[], options: LookaheadOptions, forest?: Forest): Lesson[] {
  return crossingsOf(trajectories, forest).flatMap((crossing) => {
    const ranked = outlooks(crossing, options.gamma);
    const [best, second] = ranked;
    const taker = best?.way.takers[0];
    if (best === undefined || second === undefined || taker === undefined) return [];
    if (best.value - second.value <= options.gap) return [];
    const at = { trajectory: taker.trajectory.id, step: taker.step.index };
    return [reasonedLesson(at, { action: best.way.action, thought: chainText(ranked, options) }, options)];
  });
}
