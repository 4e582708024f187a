/**
 * A tree whose weak nodes make room (Graft): nodes that the draft model itself hardly believes in are cut, and the room is given
 * to what the memory of words knows, at the end of every way that is left.
 */
import { tailOf, type Drafted } from "./drafter.ts";
import { childOf, grow, pruned, wayTo, type DraftTree, type Growing } from "./tree.ts";
import type { WordMemory } from "./word-memory.ts";

/** Nodes that are less likely than this are cut. */
const WEAK = 0.1;

/** At most `most` nodes. */
export function grafted(memory: WordMemory, tree: DraftTree, drafted: Drafted, weak: number = WEAK): DraftTree {
  const { most } = drafted;
  const strong = pruned(tree, Math.min(most, tree.reach.filter((reach) => reach >= weak).length));
  return refilled(memory, strong, drafted);
}

function refilled(memory: WordMemory, strong: DraftTree, { tokens, count, response, most }: Drafted): DraftTree {
  // Where the answer is confined, what may come next is known to the allowed set and not to the memory.
  if (response.place() !== undefined) return strong;
  const tree: Growing = {
    tokens: [...strong.tokens],
    parents: [...strong.parents],
    reach: [...strong.reach],
    sources: [...strong.sources],
  };
  // From the likeliest end on, and from the beginning too: the memory may know another first word.
  const starts = [-1, ...strong.tokens.keys()].toSorted(
    (left, right) => reachOf(strong, right) - reachOf(strong, left),
  );
  for (const start of starts) {
    const way = wayTo(strong, start);
    const tail = [...tailOf(tokens, count), ...way];
    let [node, depth] = [start, way.length];
    while (tree.tokens.length < most && depth < response.left() - 1) {
      const next = memory.next(tail, tail.length);
      if (next === undefined || response.ends(way, next.token)) break;
      const there = childOf(tree, node, next.token);
      // What the tree has there already is not guessed twice, but passed.
      node = there < 0 ? grow(tree, node, next) : there;
      tail.push(next.token);
      way.push(next.token);
      depth += 1;
    }
  }
  return tree;
}

function reachOf({ reach }: DraftTree, node: number): number {
  return node < 0 ? 1 : (reach[node] as number);
}
