/**
 * The walks of a rollout in an order that follows from the strategy alone: scopes in the order of their items, walks in
 * the order in which they were opened, each followed by its branches in the order in which they left.
 */
import { EngineError } from "../base/index.ts";
import type { LiveWalk } from "./runtime.ts";

export interface Branches {
  readonly walk: LiveWalk;
  readonly children: Branches[];
}

export type Entry = Branches | Plot;

/** A part of the forest: what one item of `each` has opened. */
export interface Plot {
  readonly entries: Entry[];
  /** Its item is done. */
  done: boolean;
}

export function createPlot(): Plot {
  return { entries: [], done: false };
}

export function walksOf(entry: Entry): LiveWalk[] {
  if ("entries" in entry) return entry.entries.flatMap(walksOf);
  return [entry.walk, ...entry.children.flatMap(walksOf)];
}

/** Every walk by id, to hang branches on. */
export class ForestBook {
  readonly #nodes = new Map<string, Branches>();
  readonly #ids = new Set<string>();

  add(walk: LiveWalk, plot: Plot, from: LiveWalk | undefined): void {
    if (this.#ids.has(walk.id)) {
      throw new EngineError(
        "duplicate-id",
        `Two walks are named "${walk.id}". Labels must be unique within a task and among the branches of a walk.`,
      );
    }
    const node: Branches = { walk, children: [] };
    this.#ids.add(walk.id);
    this.#nodes.set(walk.id, node);
    const siblings = from === undefined ? plot.entries : this.#nodes.get(from.id)?.children;
    siblings?.push(node);
  }

  /** Forgets walks that are stored; nothing can branch from them any more. */
  forget(walks: readonly LiveWalk[]): void {
    for (const { id } of walks) this.#nodes.delete(id);
  }
}
