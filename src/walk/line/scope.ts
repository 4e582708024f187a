/** Scopes at work: they open walks, hand out purses and keep the forest in order. */
import { throwIfAborted, type Rng } from "../../base/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import { withPurses } from "../pay.ts";
import type { Need, Purse } from "../purse.ts";
import type { Admission, Admitted } from "./admission.ts";
import { createPlot, type Plot } from "./forest.ts";
import type { Corrector, Judge, OutcomeScorer, Pool, Reflector } from "../judge.ts";
import { openWorld } from "../worlds.ts";
import { resumeWalk, tryWorld } from "./branch-walk.ts";
import type { Home, LiveWalk, Runtime } from "./runtime.ts";
import type { Scope } from "./strategy.ts";
import type { Suspended, Walk, WalkStart } from "./walk.ts";

/** What all scopes of a rollout share. */
export interface Ground {
  readonly runtime: Runtime;
  readonly tasks: readonly Task[];
  readonly judge: Judge | undefined;
  readonly reflector: Reflector | undefined;
  readonly corrector: Corrector | undefined;
  readonly pool: Pool | undefined;
  readonly outcomeScorer: OutcomeScorer | undefined;
  readonly admission: Admission;
  /** What one whole episode may spend at most. */
  readonly episodeNeed: Need;
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
  /** Made when it is asked for: most scopes draw nothing, and a split costs a hash. */
  readonly rng: () => Rng;
  /** Who waits goes in this order. */
  readonly order: number;
  readonly admitted: Admitted | undefined;
  readonly outermost: boolean;
}

export function createScope(ground: Ground, place: ScopePlace): Scope {
  return new ScopeAtWork(ground, place);
}

/** Every episode has one of its own, often two: a class, so that a scope is what it knows and no set of functions. */
class ScopeAtWork implements Scope, Home {
  readonly #ground: Ground;
  readonly #place: ScopePlace;
  #rng: Rng | undefined;

  constructor(ground: Ground, place: ScopePlace) {
    this.#ground = ground;
    this.#place = place;
  }

  get env(): Scope["env"] {
    return this.#ground.runtime.env;
  }
  get agent(): Scope["agent"] {
    return this.#ground.runtime.agent;
  }
  get tasks(): readonly Task[] {
    return this.#ground.tasks;
  }
  get rng(): Rng {
    return (this.#rng ??= this.#place.rng());
  }
  get purse(): Purse {
    return this.#place.purse;
  }
  get signal(): AbortSignal {
    return this.#ground.runtime.signal;
  }
  get judge(): Judge | undefined {
    return this.#ground.judge;
  }
  get reflector(): Reflector | undefined {
    return this.#ground.reflector;
  }
  get corrector(): Corrector | undefined {
    return this.#ground.corrector;
  }
  get pool(): Pool | undefined {
    return this.#ground.pool;
  }
  get outcomeScorer(): OutcomeScorer | undefined {
    return this.#ground.outcomeScorer;
  }
  get prefix(): string {
    return this.#ground.prefix;
  }

  enrol(walk: LiveWalk, from: LiveWalk | undefined): void {
    this.#ground.enrol(walk, this.#place.plot, from);
  }

  ended(walk: LiveWalk): void {
    this.#place.admitted?.walkEnded();
    this.#ground.walkEnded(walk);
  }

  async open(task: Task, label: string | number, start: WalkStart = {}): Promise<Walk | undefined> {
    const { runtime, prefix } = this.#ground;
    const { agent, signal } = runtime;
    const { purse, order } = this.#place;
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
      order,
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
    this.#ground.adopt(trajectory, this.#place.plot, stored);
  }

  resume(kept: Suspended): Promise<Walk | undefined> {
    const { purse, order } = this.#place;
    return resumeWalk(this.#ground.runtime, kept, { home: this, purse, order });
  }

  each<Item, Result>(
    items: readonly Item[],
    work: (scope: Scope, item: Item, index: number) => Promise<Result>,
    { walks = 1 }: { readonly walks?: number } = {},
  ): Promise<Result[]> {
    const { plot, outermost } = this.#place;
    const plots = items.map(() => createPlot());
    plot.entries.push(...plots);
    return this.#within(items.length, walks, async (index, own) => {
      const inner = plots[index] as Plot;
      const entered = outermost ? await this.#ground.admission.admit(walks) : this.#place.admitted;
      try {
        throwIfAborted(this.signal);
        const scope = createScope(this.#ground, {
          plot: inner,
          purse: own,
          rng: () => this.rng.split(index),
          order: outermost ? index : this.#place.order,
          admitted: entered,
          outermost: false,
        });
        return await work(scope, items[index] as Item, index);
      } finally {
        inner.done = true;
        if (outermost) entered?.done();
        if (outermost) await this.#ground.progressed();
      }
    });
  }

  together<Result>(
    walks: readonly Walk[],
    work: (walk: Walk, index: number) => Promise<Result>,
    { walks: each = 1 }: { readonly walks?: number } = {},
  ): Promise<Result[]> {
    return this.#within(walks.length, each, (index, own) => {
      const walk = walks[index] as Walk;
      walk.purse = own;
      return work(walk, index);
    });
  }

  /** An error in one of them ends the whole rollout. */
  #within<Result>(
    count: number,
    walks: number,
    work: (index: number, own: Purse) => Promise<Result>,
  ): Promise<Result[]> {
    const { runtime, episodeNeed, abort } = this.#ground;
    return withPurses(this.#place.purse, count, needOf(episodeNeed, walks), async (index, own) => {
      try {
        throwIfAborted(runtime.signal);
        return await work(index, own);
      } catch (error) {
        abort(error);
        throw error;
      }
    });
  }
}

function needOf(episode: Need, walks: number): Need {
  if (walks === 1) return episode;
  return Object.fromEntries(Object.entries(episode).map(([kind, amount]) => [kind, amount * walks]));
}
