/** The contract of a strategy: which episodes are walked, from where, and how far. It judges nothing and trains nothing. */
import type { Rng } from "../../base/index.ts";
import type { Env } from "../../env/env.ts";
import type { JsonObject, Task, Trajectory } from "../../trajectory/index.ts";
import type { Purse } from "../purse.ts";
import type { Agent } from "../mind/agent.ts";
import type { Corrector, Judge, OutcomeScorer, Pool, Reflector } from "../judge.ts";
import type { Suspended, Walk, WalkStart } from "./walk.ts";

/** What a strategy works with. Scopes nest: each item of `each` gets one of its own. */
export interface Scope {
  readonly env: Env;
  readonly agent: Agent;
  /** The tasks of this rollout, in order. A scope inside `each` has them too. */
  readonly tasks: readonly Task[];
  /** Random numbers of the strategy itself; split it by labels. Each scope has its own. */
  readonly rng: Rng;
  readonly purse: Purse;
  readonly signal: AbortSignal;
  readonly judge?: Judge | undefined;
  readonly reflector?: Reflector | undefined;
  readonly corrector?: Corrector | undefined;
  readonly pool?: Pool | undefined;
  /** Who says how likely an unfinished episode is to succeed. */
  readonly outcomeScorer?: OutcomeScorer | undefined;
  /** What stands before the names of this rollout's groups. */
  readonly prefix: string;
  /** Opens an episode. Undefined when the purse cannot pay a single step. `label` names it within its group. */
  open(task: Task, label: string | number, options?: WalkStart): Promise<Walk | undefined>;
  /** Goes on with a walk that was suspended, from what was kept of it. */
  resume(kept: Suspended): Promise<Walk | undefined>;
  /**
   * Takes a finished episode of an earlier rollout into this one: it is among the results. `stored`: the store has it
   * already. Branches follow their parents.
   */
  adopt(trajectory: Trajectory, options?: { readonly stored?: boolean }): void;
  /**
   * Works on all items at the same time, each in a scope and with a purse of its own; results in order. `walks` says for
   * how many whole episodes an item needs money. Default: 1. Items of the outermost scope are stored as they finish.
   */
  each<Item, Result>(
    items: readonly Item[],
    work: (scope: Scope, item: Item, index: number) => Promise<Result>,
    options?: { readonly walks?: number },
  ): Promise<Result[]>;
  /** Works on open walks at the same time, each with a purse of its own; results in order. */
  together<Result>(
    walks: readonly Walk[],
    work: (walk: Walk, index: number) => Promise<Result>,
    options?: { readonly walks?: number },
  ): Promise<Result[]>;
}

/** One strategy, ready to run. It may remember things between rollouts; `save` and `load` carry them over a restart. */
export interface Strategy {
  run(scope: Scope): Promise<void>;
  /** The world as it wants it: with further actions, for example. Default: the environment's own. */
  world?(env: Env): Env;
  save?(): JsonObject;
  load?(state: JsonObject): void;
  /** Episodes that it has begun and goes on with in the next rollout; they are part of what `save` gives. */
  kept?(): KeptEpisodes;
}

export interface KeptEpisodes {
  readonly groups: number;
  /** Tokens that were sampled for them so far. */
  readonly tokens: number;
}

export type StrategyNeed = "fork" | "tokens" | "scorer" | "judge" | "reflector" | "corrector" | "pool" | "rough";
