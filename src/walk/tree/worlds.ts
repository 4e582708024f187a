/**
 * A world for every node: kept, copied from one that is kept, or made again from the nearest one above by replaying the
 * actions. Where a replay comes out elsewhere the node is dropped with everything below it, because nothing that was
 * learned about it can be trusted.
 */
import { throwIfAborted } from "../../base/index.ts";
import type { Episode } from "../../env/index.ts";
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
import { Kept } from "./kept.ts";
import { lineTo, nodesBelow, type SearchNode } from "./node.ts";

export interface WorldsOptions extends WorldSource {
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
