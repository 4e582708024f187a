/** The loop: many episodes at once against one policy, in a deterministic order, streamed to a sink. */
import { checkOptions, may } from "../../base/options.ts";
import { setMaxListeners } from "node:events";
import { createRng, EngineError } from "../../base/index.ts";
import type { Env } from "../../env/env.ts";
import { withTimeLimit } from "../../env/with-time-limit.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import { isOutOfRoom } from "../../trajectory/tally.ts";
import { OwnCalls, policyLimit, worldLimit } from "../calls.ts";
import { createPurse, priceOf, type Budget, type Need, type Spending, type TokenPrices } from "../purse.ts";
import { createAdmission } from "./admission.ts";
import type { Agent } from "../mind/agent.ts";
import { createPlot, ForestBook, isOver, membersOf, walksOf, type Entry, type Plot } from "./forest.ts";
import { createGate } from "../gate.ts";
import type { Corrector, Judge, OutcomeScorer, Pool, Reflector } from "../judge.ts";
import { checkEpisodeLimits, type EpisodeLimits } from "../limits.ts";
import { startWalk } from "./live-walk.ts";
import { checkNeeds } from "./needs.ts";
import type { Runtime } from "./runtime.ts";
import { createScope, type Ground } from "./scope.ts";
import type { Strategy, StrategyNeed } from "./strategy.ts";
import { createWatchdog } from "../watchdog.ts";

/** Where trajectories go as they finish. A `RunWriter` of the store is one. */
export interface Sink {
  append(trajectory: Trajectory): Promise<void>;
}

export interface RollOutOptions {
  readonly env: Env;
  readonly agent: Agent;
  readonly strategy: Strategy & { readonly needs?: readonly StrategyNeed[] };
  readonly tasks: readonly Task[];
  readonly seed: number | string;
  /** Stands before the names of groups and trajectories, to tell rollouts of one run apart: "update-12/". */
  readonly prefix?: string;
  /** Episodes at work at the same time. Default: what the agent's policy serves best, else 64. */
  readonly concurrency?: number;
  readonly episode?: EpisodeLimits;
  /** What the whole rollout may spend. */
  readonly budget?: Budget;
  /** For a budget in US dollars. */
  readonly prices?: TokenPrices;
  /** Attempts at a step of a failing world, the first included. Default: 3. */
  readonly attempts?: number;
  readonly sink?: Sink;
  readonly judge?: Judge;
  readonly reflector?: Reflector;
  readonly corrector?: Corrector;
  /** Where finished episodes of other runs come from. */
  readonly pool?: Pool;
  /** Who says how likely an unfinished episode is to succeed. */
  readonly outcomeScorer?: OutcomeScorer;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RollOutProgress) => void;
  /** Whether the result holds the trajectories. Default: true. Without it a long rollout needs little memory. */
  readonly collect?: boolean;
  /** Whether a world is asked while the thoughts that follow a call are said, by agents that call first. Default: yes. */
  readonly overlap?: boolean;
  /** Milliseconds that only grow, and the time of day. Default: the machine's. */
  readonly now?: () => number;
  readonly date?: () => string;
}

export const ROLL_OUT_CHECKS = { seed: may.seed, concurrency: may.count, attempts: may.count } as const;

export interface RollOutProgress {
  readonly episodes: number;
  readonly failed: number;
  readonly succeeded: number;
  readonly spent: Spending;
}

export interface RollOutResult extends RollOutProgress {
  /** In a deterministic order; a branch comes after its parent. */
  readonly trajectories: readonly Trajectory[];
}

/**
 * The loop itself, for those who have opened every part; `rollout` of the front door opens them.
 *
 * @example
 * import { createStrategy } from "limbeck/rollout";
 * import { createDemonstratorAgent } from "limbeck/walk";
 * import { getWorld } from "limbeck/env";
 *
 * const { create, demonstrators = {} } = await getWorld("countdown");
 * const env = await create();
 * const [expert] = Object.values(demonstrators);
 * const tasks = [];
 * for await (const task of env.tasks("train", { count: 1 })) tasks.push(task);
 * if (expert !== undefined) {
 *   const agent = createDemonstratorAgent(expert);
 *   console.log((await rollOut({ env, agent, tasks, strategy: createStrategy("group", { size: 2 }), seed: 0 })).succeeded); // 2
 * }
 */
export async function rollOut(options: RollOutOptions): Promise<RollOutResult> {
  const { agent, strategy, tasks, seed, prefix = "", sink, onProgress, collect = true } = options;
  const concurrency = options.concurrency ?? agent.concurrency ?? 64;
  const { now = () => performance.now(), date = () => new Date().toISOString() } = options;
  checkOptions("rollOut", { concurrency: agent.concurrency, ...options }, ROLL_OUT_CHECKS);
  refuseTwice(tasks);
  checkNeeds(options);
  const limited = limitedEnv(options);
  const env = strategy.world?.(limited) ?? limited;
  const limits = checkEpisodeLimits(options.episode ?? {});
  const prices = priceOf(options.prices);
  const purse = createPurse(options.budget ?? {}, now, prices);
  const stop = new AbortController();
  // Every world may listen to it; that many listeners are no leak.
  setMaxListeners(0, stop.signal);
  const forward = (): void => stop.abort(options.signal?.reason);
  if (options.signal?.aborted === true) forward();
  options.signal?.addEventListener("abort", forward, { once: true });
  const watchdog = createWatchdog(stop.signal, now);
  const book = new ForestBook();
  const root = createPlot();
  const counts = { episodes: 0, failed: 0, succeeded: 0 };
  const stored = createStorage({ root, book, sink, collect });
  const given = { signal: stop.signal };
  const policy = policyLimit(limits.policySeconds, agent.ref.name);
  const runtime: Runtime = {
    env,
    agent,
    limits,
    attempts: options.attempts ?? 3,
    gate: createGate(concurrency),
    calls: (task) => new OwnCalls(watchdog.leash(), given, { world: worldLimit(limits.envSeconds, task.id), policy }),
    prices,
    judge: options.judge,
    overlap: options.overlap ?? true,
    signal: stop.signal,
    seed: `${typeof seed}:${seed}`,
    now,
    date,
    start: (state, from) => startWalk(runtime, state, from),
  };
  const ground: Ground = {
    runtime,
    tasks,
    judge: options.judge,
    reflector: options.reflector,
    corrector: options.corrector,
    pool: options.pool,
    outcomeScorer: options.outcomeScorer,
    admission: createAdmission(concurrency),
    episodeNeed: episodeNeed(env, agent, limits),
    prefix,
    enrol: (walk, plot, from) => book.add(walk, plot, from),
    adopt: (trajectory, plot, stored) => book.adopt(trajectory, plot, stored),
    walkEnded: (walk) => {
      if (walk.suspended) return;
      counts.episodes += 1;
      if (walk.ending === "failed" || isOutOfRoom({ success: walk.success, info: { stopped: walk.stopped ?? null } })) {
        counts.failed += 1;
      }
      if (walk.success === true) counts.succeeded += 1;
      onProgress?.({ ...counts, spent: purse.spent });
    },
    progressed: () => stored.flush(false),
    abort: (error) => {
      if (!stop.signal.aborted) stop.abort(error);
    },
  };
  const rng = createRng(seed).split("strategy");
  const place = { plot: root, purse, rng: () => rng, order: 0, admitted: undefined, outermost: true };
  try {
    if (!stop.signal.aborted) await strategy.run(createScope(ground, place));
  } finally {
    const why = stop.signal.aborted ? "cancelled" : "left open";
    stop.abort();
    await Promise.all(walksOf(root).map((walk) => walk.stop(why)));
    await stored.flush(true);
    watchdog.close();
    options.signal?.removeEventListener("abort", forward);
  }
  if (options.signal?.aborted === true) {
    throw new EngineError("cancelled", "The rollout was cancelled.", { cause: options.signal.reason });
  }
  return { ...counts, trajectories: stored.trajectories, spent: purse.spent };
}

interface Storage {
  readonly trajectories: readonly Trajectory[];
  /** Stores what is finished, in order; everything when `all`. */
  flush(all: boolean): Promise<void>;
}

interface StorageOptions {
  readonly root: Plot;
  readonly book: ForestBook;
  readonly sink: Sink | undefined;
  readonly collect: boolean;
}

function createStorage({ root, book, sink, collect }: StorageOptions): Storage {
  const trajectories: Trajectory[] = [];
  let chain = Promise.resolve();
  const store = async (entry: Entry): Promise<void> => {
    for (const member of membersOf(entry)) {
      const isAdopted = "adopted" in member;
      const freed = isAdopted ? undefined : member.dispose();
      if (freed !== undefined) await freed;
      if (!isAdopted) book.forget(member);
      if (!isAdopted && member.suspended) continue;
      const trajectory = isAdopted ? member.adopted : member.trajectory();
      if (collect) trajectories.push(trajectory);
      if (sink !== undefined && !(isAdopted && member.stored)) await sink.append(trajectory);
    }
    // Its item may be waited for until the last one is done; what it holds is not.
    if ("entries" in entry) entry.entries.length = 0;
  };
  const flush = async (all: boolean): Promise<void> => {
    for (let first = root.entries[0]; first !== undefined; first = root.entries[0]) {
      const ready = "entries" in first && first.done && isOver(first);
      if (!all && !ready) return;
      root.entries.shift();
      await store(first);
    }
  };
  return {
    trajectories,
    flush: (all) => (chain = chain.then(() => flush(all))),
  };
}

function limitedEnv({ env, episode }: RollOutOptions): Env {
  const steps = episode?.steps;
  return steps === undefined || steps >= env.maxSteps ? env : withTimeLimit(env, steps);
}

/** What one whole episode may spend at most; purses are drawn for it before it begins. */
function episodeNeed(env: Env, agent: Agent, limits: { readonly tokens: number }): Need {
  const { maxSteps } = env;
  const sampledTokens = agent.answerTokens === 0 ? 0 : Math.min(limits.tokens, maxSteps * agent.answerTokens);
  // How much is read and shared cannot be known beforehand: where that is limited, one works after the other.
  return {
    envSteps: maxSteps,
    sampledTokens,
    modelCalls: agent.answerTokens === 0 ? 0 : maxSteps,
    reusedTokens: Infinity,
    tokens: Infinity,
    picodollars: Infinity,
  };
}

function refuseTwice(tasks: readonly Task[]): void {
  const seen = new Set<string>();
  for (const { id } of tasks) {
    if (!seen.has(id)) seen.add(id);
    else {
      throw new EngineError(
        "duplicate-task",
        `Task "${id}" is given twice; give each once and let the strategy roll it out several times.`,
      );
    }
  }
}
