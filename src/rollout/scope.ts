/** Scopes at work: they open walks, hand out purses and keep the forest in order. */
import { EngineError, throwIfAborted, type Rng } from "../base/index.ts";
import type { Task, Trajectory } from "../trajectory/index.ts";
import type { Limits, Purse } from "./account.ts";
import type { Admission, Admitted } from "./admission.ts";
import { createPlot, type Plot } from "./forest.ts";
import type { Corrector, Judge, Pool, Reflector } from "./judge.ts";
import { startWalk } from "./live-walk.ts";
import { openWorld } from "./open-world.ts";
import { resumeWalk } from "./resume-walk.ts";
import type { LiveWalk, Runtime } from "./runtime.ts";
import type { Scope } from "./strategy.ts";
import type { Walk, WalkStart } from "./walk.ts";

/** What all scopes of a rollout share. */
export interface Ground {
  readonly runtime: Omit<Runtime, "start" | "enrol" | "ended">;
  readonly tasks: readonly Task[];
  readonly judge: Judge | undefined;
  readonly reflector: Reflector | undefined;
  readonly corrector: Corrector | undefined;
  readonly pool: Pool | undefined;
  readonly admission: Admission;
  /** What one whole episode may spend at most. */
  readonly episodeNeed: Limits;
  /** Stands before every group's name. */
  readonly prefix: string;
  readonly enrol: (walk: LiveWalk, plot: Plot, from: LiveWalk | undefined) => void;
  readonly adopt: (trajectory: Trajectory, plot: Plot, stored: boolean) => void;
  /** A walk has ended, or an item of the outermost scope is done: something may be ready to be stored. */
  readonly progressed: () => Promise<void>;
  readonly walkEnded: (walk: LiveWalk) => void;
  /** Ends the whole rollout because of an error in one part of it. */
  readonly abort: (error: unknown) => void;
}

export interface ScopePlace {
  readonly plot: Plot;
  readonly purse: Purse;
  readonly rng: Rng;
  /** Who waits goes in this order. */
  readonly order: number;
  readonly admitted: Admitted | undefined;
  readonly outermost: boolean;
}

export function createScope(ground: Ground, place: ScopePlace): Scope {
  const { tasks, judge, reflector, corrector, pool } = ground;
  const { plot, purse, rng, order, admitted } = place;
  const runtime: Runtime = {
    ...ground.runtime,
    start: (state, from) => startWalk(runtime, state, from),
    enrol: (walk, from) => ground.enrol(walk, plot, from),
    ended: (walk) => {
      admitted?.walkEnded();
      ground.walkEnded(walk);
    },
  };
  const { env, agent, signal } = runtime;

  const open = async (task: Task, label: string | number, start: WalkStart = {}): Promise<Walk | undefined> => {
    throwIfAborted(signal);
    const silent = agent.answerTokens === 0;
    if (purse.left("envSteps") < 1 || (!silent && purse.left("sampledTokens") < 1)) return undefined;
    const { group = ground.prefix + task.id, guidance, bookmarks = false, info = {} } = start;
    const id = `${group}/${label}`;
    const leash = runtime.watchdog.leash();
    const opened = await openWorld(runtime, task, leash);
    return await runtime.start({
      id,
      task,
      group,
      label: String(label),
      parent: undefined,
      before: [],
      own: [],
      ...opened,
      mind: agent.begin(task, `${runtime.seed} ${id}`),
      leash,
      purse,
      order,
      tokens: 0,
      bookmarks,
      info,
      hasRead: false,
      inherited: 0,
      ...(guidance === undefined ? {} : { guidance }),
    });
  };

  const within = async <Result>(
    count: number,
    walks: number,
    work: (index: number, own: Purse) => Promise<Result>,
  ): Promise<Result[]> => {
    const need = needOf(ground.episodeNeed, walks);
    const indices = Array.from({ length: count }, (_, index) => index);
    // Asked for in the order of the items, before any of them begins.
    const purses = indices.map(() => purse.draw(need));
    return await settled(
      indices.map(async (index) => {
        const own = await (purses[index] as Promise<Purse>);
        try {
          throwIfAborted(signal);
          return await work(index, own);
        } catch (error) {
          ground.abort(error);
          throw error;
        } finally {
          own.close();
        }
      }),
    );
  };

  return {
    env,
    agent,
    tasks,
    rng,
    purse,
    signal,
    ...(judge === undefined ? {} : { judge }),
    ...(reflector === undefined ? {} : { reflector }),
    ...(corrector === undefined ? {} : { corrector }),
    ...(pool === undefined ? {} : { pool }),
    prefix: ground.prefix,
    open,
    adopt: (trajectory, { stored = false } = {}) => ground.adopt(trajectory, plot, stored),
    resume: (kept) => resumeWalk(runtime, kept, { purse, order }),
    each: async (items, work, { walks = 1 } = {}) => {
      const plots = items.map(() => createPlot());
      plot.entries.push(...plots);
      return await within(items.length, walks, async (index, own) => {
        const inner = plots[index] as Plot;
        const entered = place.outermost ? await ground.admission.admit(walks) : admitted;
        try {
          throwIfAborted(signal);
          const scope = createScope(ground, {
            plot: inner,
            purse: own,
            rng: rng.split(index),
            order: place.outermost ? index : order,
            admitted: entered,
            outermost: false,
          });
          return await work(scope, items[index] as (typeof items)[number], index);
        } finally {
          inner.done = true;
          if (place.outermost) entered?.done();
          if (place.outermost) await ground.progressed();
        }
      });
    },
    together: (walks, work, { walks: each = 1 } = {}) =>
      within(walks.length, each, async (index, own) => {
        const walk = walks[index] as Walk;
        walk.purse = own;
        return await work(walk, index);
      }),
  };
}

/** Waits for all, then throws the first failure in order; an error is worth more than the cancellations it caused. */
async function settled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(work);
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  if (failures.length > 0) {
    throw failures.find((error) => !(error instanceof EngineError && error.code === "cancelled")) ?? failures[0];
  }
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<T>).value);
}

function needOf(episode: Limits, walks: number): Limits {
  return Object.fromEntries(Object.entries(episode).map(([kind, amount]) => [kind, amount * walks]));
}
