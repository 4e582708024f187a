/**
 * A world for every node: kept, copied from one that is kept, or made again from the nearest one above by replaying the
 * actions. What a replay shows must equal what was recorded, observation and state key, step by step; where it does not
 * the node is dropped with everything below it, because nothing that was learned about it can be trusted.
 */
import { throwIfAborted } from "../../base/index.ts";
import type { Env, Episode } from "../../env/index.ts";
import type { Task } from "../../trajectory/index.ts";
import { payForSteps, type SearchPurse } from "./budget.ts";
import type { Calls, Given } from "../calls.ts";
import { Kept } from "./kept.ts";
import { lineTo, nodesBelow, type SearchNode } from "./node.ts";

export interface WorldsOptions {
  readonly env: Env;
  readonly task: Task;
  readonly calls: Calls;
  readonly signal: AbortSignal;
  /** Worlds kept at a time. */
  readonly most: number;
  /** "fork" copies where the world can be copied; "replay" never does. */
  readonly mode: "fork" | "replay";
  /** Told how many nodes a failed replay has cost. */
  readonly dropped: (nodes: number) => void;
}

export class Worlds {
  readonly #options: WorldsOptions;
  readonly #kept: Kept<Episode>;
  readonly #making = new Map<SearchNode, Promise<Episode | undefined>>();
  /** Where a reply was remembered, the node whose world is the same as this one's. */
  readonly #twins = new Map<SearchNode, SearchNode>();
  #forks = false;
  #lists = false;

  constructor(options: WorldsOptions) {
    this.#options = options;
    this.#kept = new Kept(options.most, (world) => void world.close().catch(() => undefined));
  }

  /** Whether worlds are copied here; otherwise every branch is replayed. */
  get forks(): boolean {
    return this.#forks;
  }

  /** Whether the world lists the actions it accepts. */
  get listsActions(): boolean {
    return this.#lists;
  }

  /** Opens the world of the root and finds out whether it can be copied. */
  async open(): Promise<Episode> {
    const { env, task, mode } = this.#options;
    const world = await this.#have((given) => env.open(task, given));
    this.#lists = world.admissible() !== undefined;
    if (mode === "replay" || world.ending !== undefined) return world;
    try {
      const copy = await this.#have(() => world.fork());
      await copy.close();
      this.#forks = true;
    } catch {
      throwIfAborted(this.#options.signal);
    }
    return world;
  }

  put(node: SearchNode, world: Episode): void {
    this.#kept.put(node, world);
  }

  /** This node's world is the same as that of another: the same action in the same state at the same depth. */
  twin(node: SearchNode, same: SearchNode): void {
    this.#twins.set(node, same);
  }

  /** The world of a node if it is kept. */
  peek(node: SearchNode): Episode | undefined {
    return this.#kept.get(node);
  }

  /** The world at a node, to look at; undefined when it cannot be paid, or cannot be had any more. */
  async at(node: SearchNode, purse: SearchPurse): Promise<Episode | undefined> {
    const kept = this.#kept.get(node);
    if (kept !== undefined) return kept;
    const making = this.#making.get(node) ?? this.#make(node, purse);
    this.#making.set(node, making);
    try {
      const world = await making;
      if (world !== undefined && this.#making.get(node) === making) this.#kept.put(node, world);
      return world;
    } finally {
      if (this.#making.get(node) === making) this.#making.delete(node);
    }
  }

  /** A world at a node for oneself: a copy, or where it cannot be copied the kept one itself, then replayed ones. */
  async own(node: SearchNode, purse: SearchPurse): Promise<Episode | undefined> {
    if (!this.#forks) return this.#kept.takeOut(node) ?? (await this.#make(node, purse));
    const kept = await this.at(node, purse);
    return kept === undefined ? undefined : await this.#have(() => kept.fork());
  }

  /** The kept world itself, which the node then has no more; for a line that goes on alone. */
  move(node: SearchNode, purse: SearchPurse): Episode | Promise<Episode | undefined> {
    return this.#kept.takeOut(node) ?? this.own(node, purse);
  }

  /** Whether the line, replayed from a fresh opening, leads to the node again. Paid like any other replay. */
  async verify(node: SearchNode, purse: SearchPurse): Promise<boolean> {
    const [root, ...rest] = lineTo(node) as [SearchNode, ...SearchNode[]];
    if (node.dropped || !(await payForSteps(purse, inWorld(rest)))) return false;
    const world = await this.#replay(undefined, root, rest);
    await world?.close().catch(() => undefined);
    return world !== undefined;
  }

  trim(): void {
    this.#kept.trim();
  }

  close(): void {
    this.#kept.close();
  }

  async #make(node: SearchNode, purse: SearchPurse): Promise<Episode | undefined> {
    const line = lineTo(node);
    if (line.some(({ dropped }) => dropped)) return undefined;
    const twin = this.#twins.get(node);
    const sameWorld = twin === undefined || !this.#forks ? undefined : this.#kept.get(twin);
    if (sameWorld !== undefined) return await this.#have(() => sameWorld.fork());
    let from = line.length - 1;
    while (from > 0 && (!this.#forks || this.#kept.get(line[from] as SearchNode) === undefined)) from -= 1;
    const above = this.#forks ? this.#kept.get(line[from] as SearchNode) : undefined;
    const rest = line.slice(from + 1);
    if (!(await payForSteps(purse, inWorld(rest)))) return undefined;
    return await this.#replay(above, line[from] as SearchNode, rest);
  }

  async #replay(
    above: Episode | undefined,
    start: SearchNode,
    rest: readonly SearchNode[],
  ): Promise<Episode | undefined> {
    const { env, task, calls, signal } = this.#options;
    let at = start;
    let world: Episode | undefined;
    try {
      world = await this.#have((given) => (above === undefined ? env.open(task, given) : above.fork()));
      for (const node of [start, ...rest]) {
        at = node;
        const { step } = node;
        const episode = world;
        const isTaken = node !== start && step?.info?.["internal"] !== true;
        if (isTaken) await calls.world((given) => episode.step(step?.action ?? "", given));
        if (!shows(world, node)) throw new Error("The replay came out elsewhere.");
      }
      return world;
    } catch {
      await world?.close().catch(() => undefined);
      throwIfAborted(signal);
      this.#dropBelow(at);
      return undefined;
    }
  }

  /** Opens or copies a world. When nobody waits for it any more, what it holds is freed. */
  async #have(make: (given: Given) => Promise<Episode>): Promise<Episode> {
    let late = false;
    let made: Episode | undefined;
    const making = async (given: Given): Promise<Episode> => {
      made = await make(given);
      if (late) await made.close().catch(() => undefined);
      return made;
    };
    try {
      return await this.#options.calls.world(making);
    } catch (error) {
      late = true;
      await made?.close().catch(() => undefined);
      throw error;
    }
  }

  #dropBelow(node: SearchNode): void {
    let count = 0;
    for (const below of nodesBelow(node)) {
      if (below.dropped) continue;
      below.dropped = true;
      this.#kept.drop(below);
      count += 1;
    }
    this.#options.dropped(count);
  }
}

/** Steps that the world has to take. */
function inWorld(nodes: readonly SearchNode[]): number {
  return nodes.filter(({ step }) => step?.info?.["internal"] !== true).length;
}

/** An answer for the agent itself leaves the world as it was, but for what the agent was shown. */
function shows(world: Episode, { observation, stateKey, ending, step }: SearchNode): boolean {
  const own = step?.info?.["internal"] === true;
  return world.stateKey === stateKey && world.ending === ending && (own || world.observation === observation);
}
