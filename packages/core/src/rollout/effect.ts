/**
 * What a strategy has done that plain groups would not have: one number each, read from the episodes themselves, so that
 * it is the same wherever they were played. A strategy whose number stays 0 had no effect.
 */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { KeptEpisodes } from "../walk/line/strategy.ts";

/** What is looked at of an episode. */
export type Looked = Pick<Trajectory, "id" | "group" | "parent" | "info" | "reward">;

export interface EffectGivens {
  /** Tasks that the strategy was given. */
  readonly tasks: number;
  /** What stands before the groups of this rollout; episodes of earlier ones have another. */
  readonly prefix: string;
  /** What it goes on with in the next rollout. */
  readonly kept: KeptEpisodes | undefined;
}

export interface Effect {
  /** Its metric is `strategy/NAME`. */
  readonly name: string;
  /** What is counted, after a number: "successes given back". */
  readonly counts: string;
  /** Why it stays 0 most often, and the way out. */
  readonly remedy: string;
  readonly count: (episodes: readonly Looked[], givens: EffectGivens) => number;
  /** Further numbers that tell how it worked, by name, beside the count. Default: none. */
  readonly further?: (episodes: readonly Looked[]) => Readonly<Record<string, number>>;
}

/** Metrics of strategies begin with this. */
export const STRATEGY_METRIC = "strategy/";

/** Episodes that hold this in their info, for which `holds` is true. */
export function notedEpisodes(key: string, holds: (note: unknown) => boolean = (note) => note !== undefined) {
  return (episodes: readonly Looked[]): number => episodes.filter(({ info }) => holds(info?.[key])).length;
}

/** Episodes that left another below the root and count: what stands before their first step is shared. */
function branchesBelow(episodes: readonly Looked[]): number {
  return episodes.filter(({ parent, reward }) => {
    const below = parent !== undefined && (parent.step > 0 || (parent.token ?? 0) > 0);
    return below && reward.kind === "scored";
  }).length;
}

/** The effect of strategies that are trees. */
export const branching: Effect = {
  name: "branches",
  counts: "branches below the root",
  remedy: "Episodes were over before a place to branch at came: look at the options of the strategy.",
  count: branchesBelow,
};

/** Groups by size, the branches counted. */
export function groupSizes(episodes: readonly Looked[]): number[] {
  return [...groupedBy(episodes, ({ group }) => group).values()].map(({ length }) => length);
}

/** The share of groups with two scored episodes or more whose rewards differ; undefined where there is no such group. */
export function mixedShare(episodes: readonly Looked[]): number | undefined {
  const groups = [...groupedBy(episodes, ({ group }) => group).values()]
    .map((own) => own.flatMap(({ reward }) => (reward.kind === "scored" ? [reward.value] : [])))
    .filter(({ length }) => length > 1);
  if (groups.length === 0) return undefined;
  return groups.filter((rewards) => new Set(rewards).size > 1).length / groups.length;
}

interface Grown {
  /** Tokens that the policy sampled before its first own step. */
  readonly inherited: number;
  readonly own: readonly { readonly index: number; readonly flags: Uint8Array }[];
}

/** What the episodes of a rollout come to, counted one at a time; a branch comes after its parent. */
export class StrategyTally {
  readonly #looked: Looked[] = [];
  readonly #grown = new Map<string, Grown>();
  #sampled = 0;
  #whole = 0;

  add(trajectory: Trajectory): void {
    const { id, group, parent, info, reward } = trajectory;
    const looked = { id, group, reward };
    this.#looked.push({ ...looked, ...withoutUndefined({ parent, info }) });
    const inherited = parent === undefined ? 0 : this.#before(parent);
    const own = trajectory.steps.map(({ index, span }) => {
      const mask = span === undefined ? undefined : trajectory.streams[span.stream]?.mask;
      return { index, flags: mask?.slice(span?.start, span?.end) ?? new Uint8Array() };
    });
    this.#grown.set(id, { inherited, own });
    const said = own.reduce((total, { flags }) => total + ones(flags), 0);
    this.#sampled += said;
    if (reward.kind === "scored") this.#whole += inherited + said;
  }

  /** The strategy's own number, and what branches have saved where there are any. */
  metrics(effect: Effect | undefined, givens: EffectGivens): Record<string, number> {
    const looked = this.#looked;
    const hasBranches = looked.some(({ parent }) => parent !== undefined);
    return {
      ...(effect === undefined ? {} : { [STRATEGY_METRIC + effect.name]: effect.count(looked, givens) }),
      ...Object.fromEntries(
        Object.entries(effect?.further?.(looked) ?? {}).map(([name, value]) => [STRATEGY_METRIC + name, value]),
      ),
      // Against as many independent episodes; dropped tokens count too, so that it may be below 0.
      ...(hasBranches && this.#whole > 0 ? { [`${STRATEGY_METRIC}tokensSaved`]: 1 - this.#sampled / this.#whole } : {}),
    };
  }

  #before({ trajectory, step, token = 0 }: NonNullable<Trajectory["parent"]>): number {
    const { inherited, own } = this.#grown.get(trajectory) ?? { inherited: 0, own: [] };
    return own.reduce(
      (total, { index, flags }) =>
        total + (index < step ? ones(flags) : index === step ? ones(flags.subarray(0, token)) : 0),
      inherited,
    );
  }
}

function ones(flags: Uint8Array): number {
  return flags.reduce((total, flag) => total + flag, 0);
}
