/** Scopes at work: they open walks, hand out purses and keep the forest in order. */
import { EngineError, throwIfAborted, type Rng } from "../../base/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import { withPurses } from "../pay.ts";
import type { Need, Purse } from "../purse.ts";
import type { Assistants } from "../scope.ts";
import { openWorld } from "../worlds.ts";
import { resumeWalk, tryWorld } from "./branch-walk.ts";
import type { Home, LiveWalk, Runtime } from "./runtime.ts";
import type { EachOptions, Scope, Suspended, Walk, WalkStart } from "./strategy.ts";

/** What all scopes of a rollout share. */
export interface Ground extends Assistants, Pick<Scope, "env" | "agent" | "tasks" | "prefix"> {
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
        throwIfAborted(this.signal);
        const scope = createScope(this.ground, {
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
    return withPurses(this.purse, count, needOf(episodeNeed, walks), async (index, own) => {
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

function needOf(episode: Need, walks: number): Need {
  if (walks === 1) return episode;
  return Object.fromEntries(Object.entries(episode).map(([kind, amount]) => [kind, amount * walks]));
}

// The walks of a rollout in an order that follows from the strategy alone: scopes in the order of their items, walks in
// the order in which they were opened, each followed by its branches in the order in which they left.

export interface Branches {
  readonly walk: LiveWalk;
  readonly children: Branches[];
}

/** A finished episode of an earlier rollout that takes its place in this one. */
export interface Adopted {
  readonly adopted: Trajectory;
  /** It lies in the store already and is not stored again. */
  readonly stored: boolean;
}

export type Entry = Branches | Plot | Adopted;

/** A part of the forest: what one item of `each` has opened. */
export interface Plot {
  readonly entries: Entry[];
  /** Its item is done. */
  done: boolean;
}

export function createPlot(): Plot {
  return { entries: [], done: false };
}

/** All that is stored of an entry, in order; appended to `members`. */
export function membersOf(entry: Entry, members: (LiveWalk | Adopted)[] = []): (LiveWalk | Adopted)[] {
  if ("entries" in entry) for (const inner of entry.entries) membersOf(inner, members);
  else if ("adopted" in entry) members.push(entry);
  else {
    members.push(entry.walk);
    for (const child of entry.children) membersOf(child, members);
  }
  return members;
}

export function walksOf(entry: Entry): LiveWalk[] {
  return membersOf(entry).flatMap((member) => ("adopted" in member ? [] : [member]));
}

/** Whether every walk of it is over. */
export function isOver(entry: Entry): boolean {
  if ("entries" in entry) return entry.entries.every(isOver);
  return "adopted" in entry || (entry.walk.ending !== undefined && entry.children.every(isOver));
}

/** Every walk by id, to hang branches on. */
export class ForestBook {
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

/** Starts work in order, when there is room for the walks it will need; keeps memory and caches in bounds. */
export interface Admission {
  /** Resolves when the work may begin. `walks` is how many it will need in all. */
  admit(walks: number): Promise<Admitted>;
}

export interface Admitted {
  walkEnded(): void;
  done(): void;
}

export function createAdmission(limit: number): Admission {
  const waiting: { readonly walks: number; readonly begin: (admitted: Admitted) => void }[] = [];
  let load = 0;
  const begin = (walks: number): Admitted => {
    let left = walks;
    load += walks;
    const free = (count: number): void => {
      left -= count;
      load -= count;
      pump();
    };
    return { walkEnded: () => free(Math.min(1, left)), done: () => free(left) };
  };
  const room = (): boolean => load < limit;
  const pump = (): void => {
    while (room() && waiting.length > 0) {
      const next = waiting.shift();
      next?.begin(begin(next.walks));
    }
  };
  return {
    admit: (walks) =>
      new Promise((resolve) => {
        waiting.push({ walks, begin: resolve });
        pump();
      }),
  };
}
