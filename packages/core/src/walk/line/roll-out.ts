/** The loop: many episodes at once against one policy, in a deterministic order, streamed to a sink. */
import { createRng, type Rng } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { Mutable } from "limbeck-base/base/fields";
import { checkOptions } from "limbeck-base/base/options";
import { turnDue } from "limbeck-base/base/turns";
import type { Env } from "../../env/env.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { isOutOfRoom } from "limbeck-base/trajectory/tally";
import {
  type Admission,
  type Admitted,
  createAdmission,
  createGate,
  createWatchdog,
  OwnCalls,
  policyLimit,
  type Watchdog,
  worldLimit,
} from "../calls.ts";
import type { Agent } from "../mind/agent.ts";
import { withPurses } from "../pay.ts";
import type { Need, Purse, Spending } from "../purse.ts";
import {
  type Assistants,
  beginWalk,
  type Begun,
  cancelledError,
  limitedEnv,
  needFor,
  WALK_CHECKS,
  type WalkOptions,
} from "../scope.ts";
import { openWorld } from "../worlds.ts";
import { resumeWalk, tryWorld } from "./branch-walk.ts";
import { startWalk } from "./live-walk.ts";
import { checkEpisodeLimits, type EpisodeLimits, type Home, type LiveWalk, type Runtime } from "./runtime.ts";
import {
  checkStrategyNeeds,
  type EachOptions,
  type Scope,
  type Strategy,
  type StrategyNeed,
  type Suspended,
  type Walk,
  type WalkStart,
} from "./strategy.ts";

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
 * import { createStrategy, createDemonstratorAgent } from "limbeck/search";
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
  const { agent, strategy, tasks, concurrency = agent.concurrency ?? 64 } = options;
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
  const storage = createStorage(root, book, options);
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
    if (!stop.signal.aborted) await strategy.run(new ScopeAtWork(ground, place));
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

function createStorage(root: Plot, book: ForestBook, { sink, collect = true }: WalkOptions): Storage {
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
    if (seen.has(id)) {
      throw new EngineError(
        "duplicate-task",
        `Task "${id}" is given twice; give each once and let the strategy roll it out several times.`,
      );
    }
    seen.add(id);
  }
}

// Scopes at work: they open walks, hand out purses and keep the forest in order.

/** What all scopes of a rollout share. */
interface Ground extends Assistants, Pick<Scope, "env" | "agent" | "tasks" | "prefix"> {
  readonly runtime: Runtime;
  readonly admission: Admission;
  /** What one whole episode may spend at most. */
  readonly episodeNeed: Need;
  readonly book: ForestBook;
  /** A walk has ended, or an item of the outermost scope is done: something may be ready to be stored. */
  readonly progressed: () => Promise<void>;
  readonly walkEnded: (walk: LiveWalk) => void;
  /** Ends the whole rollout because of an error in one part of it. */
  readonly abort: (error: unknown) => void;
}

interface ScopePlace {
  readonly plot: Plot;
  readonly purse: Purse;
  /** Made when it is asked for: most scopes draw nothing, and a split costs a hash. */
  readonly rng: () => Rng;
  /** Who waits goes in this order. */
  readonly order: number;
  readonly admitted: Admitted | undefined;
  readonly outermost: boolean;
}

/** A scope by what it stands on; its fields are then named once. */
class Standing {
  protected readonly ground: Ground;
  protected readonly place: ScopePlace;

  constructor(ground: Ground, place: ScopePlace) {
    this.ground = ground;
    this.place = place;
  }
}

/** Every episode has one of its own, often two: a class, so that a scope is what it knows and no set of functions. */
class ScopeAtWork extends Standing implements Scope, Home {
  readonly env = this.ground.env;
  readonly agent = this.ground.agent;
  readonly tasks = this.ground.tasks;
  readonly prefix = this.ground.prefix;
  readonly judge = this.ground.judge;
  readonly reflector = this.ground.reflector;
  readonly corrector = this.ground.corrector;
  readonly pool = this.ground.pool;
  readonly outcomeScorer = this.ground.outcomeScorer;
  readonly signal = this.ground.runtime.signal;
  readonly purse = this.place.purse;
  #rng: Rng | undefined;

  get rng(): Rng {
    return (this.#rng ??= this.place.rng());
  }

  enrol(walk: LiveWalk, from: LiveWalk | undefined): void {
    this.ground.book.add(walk, this.place.plot, from);
  }

  ended(walk: LiveWalk): void {
    this.place.admitted?.walkEnded();
    this.ground.walkEnded(walk);
  }

  async open(task: Task, label: string | number, start: WalkStart = {}): Promise<Walk | undefined> {
    const { agent, signal, purse, prefix } = this;
    const { runtime } = this.ground;
    throwIfAborted(signal);
    const silent = agent.answerTokens === 0;
    if (purse.left("envSteps") < 1 || (!silent && purse.left("sampledTokens") < 1)) return undefined;
    const { group = prefix + task.id, guidance, bookmarks = false, info = {}, safe = false, rough = false } = start;
    const id = `${group}/${label}`;
    const acting = rough ? ((await agent.rough?.()) ?? agent) : agent;
    const calls = runtime.calls(task);
    return await runtime.start({
      home: this,
      id: rough ? `${id}~rough` : id,
      task,
      group,
      label: String(label),
      parent: undefined,
      before: [],
      own: [],
      ...(await tryWorld(signal, openWorld({ ...runtime, task, calls }))),
      mind: acting.begin(task, `${runtime.seed} ${id}`),
      calls,
      purse,
      order: this.place.order,
      tokens: 0,
      bookmarks,
      guarded: safe,
      info,
      hasRead: false,
      inherited: 0,
      guidance,
    });
  }

  adopt(trajectory: Trajectory, { stored = false }: { readonly stored?: boolean } = {}): void {
    this.ground.book.adopt(trajectory, this.place.plot, stored);
  }

  resume(kept: Suspended): Promise<Walk | undefined> {
    const { purse } = this;
    return resumeWalk(this.ground.runtime, kept, { home: this, purse, order: this.place.order });
  }

  each<Item, Result>(
    items: readonly Item[],
    work: (scope: Scope, item: Item, index: number) => Promise<Result>,
    { walks = 1 }: EachOptions = {},
  ): Promise<Result[]> {
    const { plot, outermost } = this.place;
    const plots = items.map(() => createPlot());
    plot.entries.push(...plots);
    return this.#within(items.length, walks, async (index, own) => {
      const inner = plots[index] as Plot;
      const entered = outermost ? await this.ground.admission.admit(walks) : this.place.admitted;
      try {
        const turn = turnDue();
        if (turn !== undefined) await turn;
        throwIfAborted(this.signal);
        const scope = new ScopeAtWork(this.ground, {
          plot: inner,
          purse: own,
          rng: () => this.rng.split(index),
          order: outermost ? index : this.place.order,
          admitted: entered,
          outermost: false,
        });
        return await work(scope, items[index] as Item, index);
      } finally {
        inner.done = true;
        if (outermost) entered?.done();
        if (outermost) await this.ground.progressed();
      }
    });
  }

  together<Result>(
    walks: readonly Walk[],
    work: (walk: Walk, index: number) => Promise<Result>,
    { walks: each = 1 }: EachOptions = {},
  ): Promise<Result[]> {
    return this.#within(walks.length, each, (index, own) => {
      const walk = walks[index] as Walk;
      walk.purse = own;
      return work(walk, index);
    });
  }

  /** An error in one of them ends the whole rollout. */
  #within<Result>(count: number, walks: number, work: (index: number, own: Purse) => Promise<Result>) {
    const { episodeNeed, abort } = this.ground;
    const times = ([kind, amount]: [string, number]): [string, number] => [kind, amount * walks];
    const need = walks === 1 ? episodeNeed : Object.fromEntries(Object.entries(episodeNeed).map(times));
    return withPurses(this.purse, count, need, async (index, own) => {
      try {
        throwIfAborted(this.signal);
        return await work(index, own);
      } catch (error) {
        abort(error);
        throw error;
      }
    });
  }
}

// The walks of a rollout in an order that follows from the strategy alone: scopes in the order of their items, walks in
// the order in which they were opened, each followed by its branches in the order in which they left.

interface Branches {
  readonly walk: LiveWalk;
  readonly children: Branches[];
}

/** A finished episode of an earlier rollout that takes its place in this one. */
interface Adopted {
  readonly adopted: Trajectory;
  /** It lies in the store already and is not stored again. */
  readonly stored: boolean;
}

type Entry = Branches | Plot | Adopted;

/** A part of the forest: what one item of `each` has opened. */
interface Plot {
  readonly entries: Entry[];
  /** Its item is done. */
  done: boolean;
}

function createPlot(): Plot {
  return { entries: [], done: false };
}

/** All that is stored of an entry, in order; appended to `members`. */
function membersOf(entry: Entry, members: (LiveWalk | Adopted)[] = []): (LiveWalk | Adopted)[] {
  if ("entries" in entry) for (const inner of entry.entries) membersOf(inner, members);
  else if ("adopted" in entry) members.push(entry);
  else {
    members.push(entry.walk);
    for (const child of entry.children) membersOf(child, members);
  }
  return members;
}

function walksOf(entry: Entry): LiveWalk[] {
  return membersOf(entry).flatMap((member) => ("adopted" in member ? [] : [member]));
}

/** Whether every walk of it is over. */
function isOver(entry: Entry): boolean {
  if ("entries" in entry) return entry.entries.every(isOver);
  return "adopted" in entry || (entry.walk.ending !== undefined && entry.children.every(isOver));
}

/** Every walk by id, to hang branches on. */
class ForestBook {
  readonly #nodes = new Map<string, Branches>();
  readonly #ids = new Set<string>();

  add(walk: LiveWalk, plot: Plot, from: LiveWalk | undefined): void {
    this.#claim(walk.id);
    const node: Branches = { walk, children: [] };
    this.#nodes.set(walk.id, node);
    const siblings = from === undefined ? plot.entries : this.#nodes.get(from.id)?.children;
    siblings?.push(node);
  }

  adopt(trajectory: Trajectory, plot: Plot, stored: boolean): void {
    this.#claim(trajectory.id);
    plot.entries.push({ adopted: trajectory, stored });
  }

  #claim(id: string): void {
    if (this.#ids.has(id)) {
      throw new EngineError(
        "duplicate-id",
        `Two walks are named "${id}". Labels must be unique within a task and among the branches of a walk.`,
      );
    }
    this.#ids.add(id);
  }

  /** Forgets a walk that is stored; nothing can branch from it any more. */
  forget({ id }: LiveWalk): void {
    this.#nodes.delete(id);
  }
}
