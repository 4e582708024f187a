/**
 * Things kept for nodes (a world, a conversation), up to a number. What is let go is decided between pieces of work only,
 * by how long ago a node was used and then by its place in the tree: the same whatever the concurrency.
 */
import type { SearchNode } from "./node.ts";

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
