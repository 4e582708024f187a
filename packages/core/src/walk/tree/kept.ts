/**
 * Things kept for nodes (a world, a conversation), up to a number. What is let go is decided between pieces of work only,
 * by how long ago a node was used and then by its place in the tree: the same whatever the concurrency.
 */
import { lineTo, nodesBelow, type Piece, type SearchNode } from "./node.ts";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { Episode } from "../../env/env.ts";
import { payForSteps } from "../pay.ts";
import type { Purse } from "../purse.ts";
import {
  closeWorld,
  copyWorld,
  isWorthAnother,
  openWorld,
  ReplayDiverged,
  replayWorld,
  worldSteps,
  type WorldSource,
} from "../worlds.ts";
import { listedActions } from "../../env/world-faults.ts";
import type { Agent, Mind } from "../mind/agent.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { contextLength, joinLine, type TokenTape } from "./pieces.ts";

export class Kept<Thing> {
  readonly #things = new Map<SearchNode, { readonly thing: Thing; round: number }>();
  readonly #most: number;
  readonly #free: (thing: Thing) => void;
  #round = 0;
  #closed = false;

  constructor(most: number, free: (thing: Thing) => void) {
    this.#most = most;
    this.#free = free;
  }

  get(node: SearchNode): Thing | undefined {
    const found = this.#things.get(node);
    if (found === undefined) return undefined;
    found.round = this.#round;
    return found.thing;
  }

  put(node: SearchNode, thing: Thing): void {
    this.drop(node);
    if (this.#closed) {
      this.#free(thing);
      return;
    }
    this.#things.set(node, { thing, round: this.#round });
  }

  /** Gives it away: it is no longer kept. */
  takeOut(node: SearchNode): Thing | undefined {
    const found = this.#things.get(node);
    this.#things.delete(node);
    return found?.thing;
  }

  drop(node: SearchNode): void {
    const found = this.takeOut(node);
    if (found !== undefined) this.#free(found);
  }

  /** Between two pieces of work: lets go of what was not used for longest, the deepest first. The root stays. */
  trim(): void {
    this.#round += 1;
    // Sorting all of them for one that is too many would cost more than a few too many do.
    if (this.#things.size <= this.#most * 1.25) return;
    const oldest = [...this.#things]
      .filter(([node]) => node.parent !== undefined)
      .map(([node, { round }]) => ({ node, round, path: node.path }))
      .toSorted(
        (left, right) =>
          left.round - right.round || right.node.depth - left.node.depth || (left.path < right.path ? -1 : 1),
      );
    for (const { node } of oldest.slice(0, this.#things.size - this.#most)) this.drop(node);
  }

  /** Frees everything, and whatever still comes. */
  close(): void {
    this.#closed = true;
    for (const node of this.#things.keys()) this.drop(node);
  }
}

// A world for every node: kept, copied from one that is kept, or made again from the nearest one above by replaying the
// actions. Where a replay comes out elsewhere the node is dropped with everything below it, because nothing that was
// learned about it can be trusted.

export interface WorldsOptions extends WorldSource {
  /** Worlds kept at a time. */
  readonly most: number;
  /** "fork" copies where the world can be copied; "replay" never does. */
  readonly mode: "fork" | "replay";
  /** Called with the number of nodes that a failed replay has cost. */
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
    this.#kept = new Kept(options.most, (world) => void closeWorld(world));
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
    const world = await openWorld(this.#options);
    this.#lists = listedActions(world) !== undefined;
    if (this.#options.mode === "replay" || world.ending !== undefined) return world;
    try {
      await closeWorld(await copyWorld(this.#options, world));
      this.#forks = true;
    } catch {
      // A world that cannot be copied is replayed.
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
  async at(node: SearchNode, purse: Purse): Promise<Episode | undefined> {
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
  async own(node: SearchNode, purse: Purse): Promise<Episode | undefined> {
    if (!this.#forks) return this.#kept.takeOut(node) ?? (await this.#make(node, purse));
    const kept = await this.at(node, purse);
    return kept === undefined ? undefined : await copyWorld(this.#options, kept);
  }

  /** The kept world itself, which the node then has no more; for a line that goes on alone. */
  move(node: SearchNode, purse: Purse): Episode | Promise<Episode | undefined> {
    return this.#kept.takeOut(node) ?? this.own(node, purse);
  }

  /** Whether the line, replayed from a fresh opening, leads to the node again. Paid like any other replay. */
  async verify(node: SearchNode, purse: Purse): Promise<boolean> {
    const world = node.dropped ? undefined : await this.#replay(lineTo(node), purse);
    await closeWorld(world);
    return world !== undefined;
  }

  trim(): void {
    this.#kept.trim();
  }

  close(): void {
    this.#kept.close();
  }

  async #make(node: SearchNode, purse: Purse): Promise<Episode | undefined> {
    const line = lineTo(node);
    if (line.some(({ dropped }) => dropped)) return undefined;
    const twin = this.#twins.get(node);
    const sameWorld = twin === undefined || !this.#forks ? undefined : this.#kept.get(twin);
    if (sameWorld !== undefined) return await copyWorld(this.#options, sameWorld);
    let from = line.length - 1;
    while (from > 0 && (!this.#forks || this.#kept.get(line[from] as SearchNode) === undefined)) from -= 1;
    const above = this.#forks ? this.#kept.get(line[from] as SearchNode) : undefined;
    return await this.#replay(line.slice(from), purse, above);
  }

  /** From a copy of the world at the first node of the line, or from a fresh opening where the line begins at the root. */
  async #replay(line: readonly SearchNode[], purse: Purse, from?: Episode): Promise<Episode | undefined> {
    const steps = line.slice(1).flatMap(({ step }) => (step === undefined ? [] : [step]));
    const end = line.at(-1) as SearchNode;
    for (let round = 1; ; round += 1) {
      if (!(await payForSteps(purse, worldSteps(steps)))) return undefined;
      try {
        return await replayWorld(this.#options, steps, end, from);
      } catch (error) {
        throwIfAborted(this.#options.signal);
        const hasDiverged = error instanceof ReplayDiverged;
        if (!hasDiverged && isWorthAnother(this.#options, error, round)) continue;
        this.#dropBelow(hasDiverged ? (line[error.after] as SearchNode) : end);
        return undefined;
      }
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

// An agent's mind for every node: kept, or put there again from the exact recording of the line that led to it.

/** A mind, and how much of what it recorded stands in pieces of the tree already. */
export interface LiveMind {
  readonly mind: Mind;
  /** Streams that are complete, and tokens of the one after them. */
  streams: number;
  length: number;
  /** Lets the mind go; may be called any number of times. */
  close(): void;
}

export class Minds {
  readonly #options: MindsOptions;
  readonly #kept: Kept<Mind>;
  readonly #lent = new Set<LiveMind>();

  constructor(options: MindsOptions) {
    this.#options = options;
    this.#kept = new Kept(options.most, (mind) => mind.close());
  }

  begin(): LiveMind {
    const { agent, task, seed } = this.#options;
    return this.#lend(agent.begin(task, seed));
  }

  /** The mind at a node, to be forked; it has read the node's observation. */
  at(node: SearchNode): Mind {
    const kept = this.#kept.get(node);
    if (kept !== undefined) return kept;
    const mind = this.#again(node);
    this.#kept.put(node, mind);
    return mind;
  }

  /** A copy that draws by its own label. */
  fork(node: SearchNode, label: string): LiveMind {
    return this.#lend(this.at(node).fork(label));
  }

  /** A copy that was shown the node's message anew, with text for this decision. */
  guided(node: SearchNode, guidance: string, label: string): LiveMind {
    const seed = `${this.#options.seed} ${node.path} ${label}`;
    return this.#lend(this.at(node).branch({ step: node.depth, guidance }, seed));
  }

  put(node: SearchNode, live: LiveMind): void {
    this.#lent.delete(live);
    this.#kept.put(node, live.mind);
  }

  /** Keeps a copy of a mind that goes on without the node. */
  keepCopy(node: SearchNode, { mind }: LiveMind): void {
    this.#kept.put(node, mind.fork("kept"));
  }

  trim(): void {
    this.#kept.trim();
  }

  /** Also what was lent and never came back: a search that is cancelled lets go of nothing itself. */
  close(): void {
    this.#kept.close();
    for (const live of this.#lent) live.close();
  }

  #lend(mind: Mind): LiveMind {
    const lent = this.#lent;
    const live: LiveMind = {
      mind,
      streams: 0,
      length: 0,
      close: () => {
        if (lent.delete(live)) mind.close();
      },
    };
    lent.add(live);
    return live;
  }

  #again(node: SearchNode): Mind {
    const { agent, task } = this.#options;
    const { steps, streams } = joinLine(lineTo(node));
    const seed = `${this.#options.seed} ${node.path}`;
    if (agent.resume !== undefined) {
      return agent.resume(task, seed, { steps, streams, closing: { observation: node.observation } });
    }
    if (agent.exact) {
      throw new EngineError(
        "cannot-resume",
        `Policy "${agent.ref.name}" cannot go back to an earlier point; raise how many minds are kept.`,
      );
    }
    const mind = agent.begin(task, seed);
    let action: string | undefined;
    for (const { index, observation, action: taken } of steps) {
      mind.read({ step: index, observation, action, admissible: () => undefined });
      mind.impose(taken);
      mind.decide();
      action = taken;
    }
    mind.read({ step: node.depth, observation: node.observation, action, admissible: () => undefined });
    return mind;
  }
}

export interface MindsOptions {
  readonly agent: Agent;
  readonly task: Task;
  readonly seed: string;
  /** Minds kept at a time. */
  readonly most: number;
}

/** What a mind has recorded since the last piece. `parent`: the node it stood at then. */
export function takePiece(live: LiveMind, parent: SearchNode | undefined, tape: TokenTape): Piece | undefined {
  const streams = live.mind.streams({ stream: live.streams, length: live.length });
  if (streams.length === 0) return undefined;
  const isNew = live.streams === 0 && live.length === 0;
  const shared = isNew || parent === undefined ? live.mind.sharedTokens : contextLength(parent);
  const lengths = streams.map(({ ids }) => ids.length);
  const last = lengths[lengths.length - 1] ?? 0;
  live.length = streams.length === 1 ? live.length + last : last;
  live.streams += streams.length - 1;
  return tape.keep({ shared, streams, lengths });
}
