/** What a walk along one line and one over a whole tree have in common: what they are given, how they begin, and their scope. */
import { setMaxListeners } from "node:events";
import { EngineError } from "limbeck-base/base/errors";
import type { Rng } from "limbeck-base/base/rng";
import { may } from "limbeck-base/base/options";
import type { Env } from "../env/env.ts";
import { withTimeLimit } from "../env/with-time-limit.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Corrector, Judge, OutcomeScorer, Pool, Reflector } from "./judge.ts";
import type { Agent } from "./mind/agent.ts";
import { createPurse, priceOf, type Budget, type Need, type Prices, type Purse, type TokenPrices } from "./purse.ts";

/** Where trajectories go as they finish. A `RunWriter` of the store is one. */
export interface Sink {
  append(trajectory: Trajectory): Promise<void>;
}

/** What every walk is given. */
export interface WalkOptions {
  readonly env: Env;
  readonly agent: Agent;
  readonly seed: number | string;
  /** Stands before the names of groups and trajectories, to separate walks of one run: "update-12/". */
  readonly prefix?: string;
  /** Episodes, or calls of a search, at work at the same time. Default: what the agent's policy serves best, else 64. */
  readonly concurrency?: number;
  /** What the whole walk may spend. */
  readonly budget?: Budget;
  /** For a budget in US dollars. */
  readonly prices?: TokenPrices;
  /** Attempts at a step of a failing world, the first included. Default: 3. */
  readonly attempts?: number;
  readonly sink?: Sink;
  /** Whether the result holds the trajectories. Default: true. Without it a long rollout or a large tree needs little memory. */
  readonly collect?: boolean;
  readonly signal?: AbortSignal;
  /** Milliseconds that only grow, and the time of day. Default: the machine's. */
  readonly now?: () => number;
  readonly date?: () => string;
}

export const WALK_CHECKS = { seed: may.seed, concurrency: may.count, attempts: may.count } as const;

/** Further callbacks of a rollout. */
export interface Assistants {
  readonly judge?: Judge | undefined;
  readonly reflector?: Reflector | undefined;
  readonly corrector?: Corrector | undefined;
  /** Where finished episodes of other runs come from. */
  readonly pool?: Pool | undefined;
  /** Estimates how likely an unfinished episode is to succeed. */
  readonly outcomeScorer?: OutcomeScorer | undefined;
}

/** What a strategy or a search works with. Scopes nest: each item of `each` gets one of its own. */
export interface WalkScope<Own, EachOptions> {
  readonly env: Env;
  readonly agent: Agent;
  /** Random numbers of the method itself; split it by labels. Each scope has its own. */
  readonly rng: Rng;
  readonly purse: Purse;
  readonly signal: AbortSignal;
  /** Works on all items at the same time, each in a scope and with a purse of its own; results in order. */
  each<Item, Result>(
    items: readonly Item[],
    work: (scope: Own, item: Item, index: number) => Promise<Result>,
    options?: EachOptions,
  ): Promise<Result[]>;
}

/** The world within a limit of steps. */
export function limitedEnv(env: Env, steps: number | undefined): Env {
  return steps === undefined || steps >= env.maxSteps ? env : withTimeLimit(env, steps);
}

/** A walk that has begun: its account, its clock, and what stops it. */
export interface Begun {
  readonly prices: Prices;
  readonly purse: Purse;
  /** Aborts with the caller's signal, or for reasons of the walk's own. */
  readonly stop: AbortController;
  readonly now: () => number;
  /** Leaves the caller's signal. */
  unlink(): void;
}

export function beginWalk({ signal, budget = {}, now = () => performance.now(), ...options }: WalkOptions): Begun {
  const prices = priceOf(options.prices);
  const purse = createPurse(budget, now, prices);
  const stop = new AbortController();
  // Every world may listen to it; that many listeners are no leak.
  setMaxListeners(0, stop.signal);
  const forward = (): void => stop.abort(signal?.reason);
  if (signal?.aborted === true) forward();
  signal?.addEventListener("abort", forward, { once: true });
  return { prices, purse, stop, now, unlink: () => signal?.removeEventListener("abort", forward) };
}

export function cancelledError(what: "rollout" | "search", signal: AbortSignal): EngineError {
  return new EngineError("cancelled", `The ${what} was cancelled.`, { cause: signal.reason });
}

/** Refuses a method, before any work, whose needs are not all there. */
export function checkNeeds<Kind extends string>(
  needs: readonly Kind[] = [],
  there: Readonly<Record<Kind, boolean>>,
  refusal: (missing: readonly Kind[]) => string,
): void {
  const missing = needs.filter((need) => !there[need]);
  if (missing.length > 0) throw new EngineError("needs-unmet", refusal(missing), { details: { missing } });
}

/** What so many steps and calls may take. How much is read cannot be known before: where that is limited, one works at a time. */
export function needFor({ answerTokens }: Agent, envSteps: number, modelCalls: number): Need {
  if (answerTokens === 0) return { envSteps };
  const sampledTokens = modelCalls * answerTokens;
  return { envSteps, modelCalls, sampledTokens, tokens: Infinity, picodollars: Infinity };
}
