/**
 * The walks of a rollout in an order that follows from the strategy alone: scopes in the order of their items, walks in
 * the order in which they were opened, each followed by its branches in the order in which they left.
 */
import { EngineError } from "../base/index.ts";
import type { Trajectory } from "../trajectory/index.ts";
import type { LiveWalk } from "./runtime.ts";

export interface Branches {
  readonly walk: LiveWalk;
  readonly children: Branches[];
}

/** A finished episode of an earlier rollout that takes its place in this one. */
export interface Adopted {
  readonly adopted: Trajectory;
  /** It lies in the lake already and is not stored again. */
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

/** All that is stored of an entry, in order. */
export function membersOf(entry: Entry): (LiveWalk | Adopted)[] {
  if ("entries" in entry) return entry.entries.flatMap(membersOf);
  return "adopted" in entry ? [entry] : [entry.walk, ...entry.children.flatMap(membersOf)];
}

export function walksOf(entry: Entry): LiveWalk[] {
  return membersOf(entry).flatMap((member) => ("adopted" in member ? [] : [member]));
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

  /** Forgets walks that are stored; nothing can branch from them any more. */
  forget(walks: readonly LiveWalk[]): void {
    for (const { id } of walks) this.#nodes.delete(id);
  }
}
