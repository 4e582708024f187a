/** The loop: many episodes at once against one policy, in a deterministic order, streamed to a sink. */
import { createRng, EngineError, type Mutable } from "../../base/index.ts";
import { checkOptions } from "../../base/options.ts";
import type { Env } from "../../env/env.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import { isOutOfRoom } from "../../trajectory/tally.ts";
import { createGate, createWatchdog, OwnCalls, policyLimit, worldLimit, type Watchdog } from "../calls.ts";
import type { Agent } from "../mind/agent.ts";
import type { Need, Purse, Spending } from "../purse.ts";
import {
  beginWalk,
  cancelledError,
  limitedEnv,
  needFor,
  WALK_CHECKS,
  type Assistants,
  type Begun,
  type Sink,
  type WalkOptions,
} from "../scope.ts";
import { startWalk } from "./live-walk.ts";
import { checkEpisodeLimits, type EpisodeLimits, type LiveWalk, type Runtime } from "./runtime.ts";
import { createAdmission, createPlot, createScope, ForestBook } from "./scope.ts";
import { isOver, membersOf, walksOf, type Entry, type Ground, type Plot } from "./scope.ts";
import { checkStrategyNeeds, type Strategy, type StrategyNeed } from "./strategy.ts";

export interface RollOutOptions extends WalkOptions, Assistants {
  readonly strategy: Strategy & { readonly needs?: readonly StrategyNeed[] };
  readonly tasks: readonly Task[];
  readonly episode?: EpisodeLimits;
  readonly onProgress?: (progress: RollOutProgress) => void;
  /** Whether a world is called while the thoughts that follow a call are sampled, by agents that call first. Default: yes. */
  readonly overlap?: boolean;
}

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
 * The loop itself, where every part is open already; `rollout` of the front door opens them.
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
  const { agent, strategy, tasks, sink, collect = true, concurrency = agent.concurrency ?? 64 } = options;
  checkOptions("rollOut", { concurrency: agent.concurrency, ...options }, WALK_CHECKS);
  refuseTwice(tasks);
  checkStrategyNeeds(options);
  const limited = limitedEnv(options.env, options.episode?.steps);
  const env = strategy.world?.(limited) ?? limited;
  const limits = checkEpisodeLimits(options.episode ?? {});
  const begun = beginWalk(options);
  const { purse, stop, now } = begun;
  const watchdog = createWatchdog(stop.signal, now);
  const book = new ForestBook();
  const root = createPlot();
  const progress = createProgress(purse, options.onProgress);
  const storage = createStorage({ root, book, sink, collect });
  const runtime = createRuntime({ ...options, env, concurrency }, begun, limits, watchdog);
  const ground: Ground = {
    ...options,
    env,
    prefix: options.prefix ?? "",
    runtime,
    admission: createAdmission(concurrency),
    episodeNeed: episodeNeed(env, agent, limits),
    book,
    walkEnded: (walk) => progress.count(walk),
    progressed: () => storage.flush(false),
    abort: (error) => {
      if (!stop.signal.aborted) stop.abort(error);
    },
  };
  const rng = createRng(options.seed).split("strategy");
  const place = { plot: root, purse, rng: () => rng, order: 0, admitted: undefined, outermost: true };
  try {
    if (!stop.signal.aborted) await strategy.run(createScope(ground, place));
  } finally {
    const why = stop.signal.aborted ? "cancelled" : "left open";
    stop.abort();
    await Promise.all(walksOf(root).map((walk) => walk.stop(why)));
    await storage.flush(true);
    watchdog.close();
    begun.unlink();
  }
  if (options.signal?.aborted === true) throw cancelledError("rollout", options.signal);
  return { ...progress.counts, trajectories: storage.trajectories, spent: purse.spent };
}

/** What all walks of a rollout share. */
function createRuntime(
  { env, agent, seed, concurrency, judge, attempts = 3, overlap = true, ...options }: RollOutOptions,
  { prices, stop, now }: Begun,
  limits: Runtime["limits"],
  watchdog: Watchdog,
): Runtime {
  const { date = () => new Date().toISOString() } = options;
  const { signal } = stop;
  const given = { signal };
  const policy = policyLimit(limits.policySeconds, agent.ref.name);
  const runtime: Runtime = {
    env,
    agent,
    limits,
    attempts,
    gate: createGate(concurrency ?? 64),
    calls: (task) => new OwnCalls(watchdog.leash(), given, { world: worldLimit(limits.envSeconds, task.id), policy }),
    prices,
    judge,
    overlap,
    signal,
    seed: `${typeof seed}:${seed}`,
    now,
    date,
    start: (state, from) => startWalk(runtime, state, from),
  };
  return runtime;
}

type Counts = Mutable<Omit<RollOutProgress, "spent">>;

/** Episodes that are over, as they end. */
function createProgress(
  purse: Purse,
  onProgress: RollOutOptions["onProgress"],
): { readonly counts: Counts; count(walk: LiveWalk): void } {
  const counts: Counts = { episodes: 0, failed: 0, succeeded: 0 };
  return {
    counts,
    count: ({ suspended, ending, success, stopped = null }) => {
      if (suspended) return;
      counts.episodes += 1;
      if (ending === "failed" || isOutOfRoom({ success, info: { stopped } })) counts.failed += 1;
      if (success === true) counts.succeeded += 1;
      onProgress?.({ ...counts, spent: purse.spent });
    },
  };
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

/** What one whole episode may spend at most; purses are drawn for it before it begins. */
function episodeNeed(env: Env, agent: Agent, limits: { readonly tokens: number }): Need {
  const { sampledTokens = 0, ...need } = needFor(agent, env.maxSteps, env.maxSteps);
  // How much is read and shared cannot be known beforehand: where that is limited, one works after the other.
  const unknown = { reusedTokens: Infinity, tokens: Infinity, picodollars: Infinity };
  return { ...need, ...unknown, sampledTokens: Math.min(limits.tokens, sampledTokens) };
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
