/**
 * The walks of a rollout in an order that follows from the strategy alone: scopes in the order of their items, walks in
 * the order in which they were opened, each followed by its branches in the order in which they left.
 */
import { EngineError } from "../../base/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { LiveWalk } from "./runtime.ts";

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
