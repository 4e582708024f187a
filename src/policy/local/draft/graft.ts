/**
 * A tree whose weak nodes make room (Graft): nodes that the draft model itself hardly believes in are cut, and the room is given
 * to what the memory knows, at the end of every way that is left.
 */
import { follow, type Drafted } from "./memory-trees.ts";
import { pruned, type DraftTree, type Growing } from "./tree.ts";
import type { WordMemory } from "./word-memory.ts";

/** Nodes that are less likely than this make room. */
const WEAK = 0.1;

/** At most `most` nodes. */
export function grafted(memory: WordMemory, tree: DraftTree, drafted: Drafted): DraftTree {
  const strong = pruned(tree, Math.min(drafted.most, tree.reach.filter((reach) => reach >= WEAK).length));
  if (drafted.response.place() !== undefined) return strong;
  const filled: Growing = {
    tokens: [...strong.tokens],
    parents: [...strong.parents],
    reach: [...strong.reach],
    sources: [...strong.sources],
  };
  const reachOf = (node: number): number => (node < 0 ? 1 : (strong.reach[node] as number));
  // From the likeliest end on, and from the beginning too: the memory may know another first token.
  const starts = [-1, ...strong.tokens.keys()].toSorted((left, right) => reachOf(right) - reachOf(left));
  for (const start of starts) follow(memory, filled, start, drafted);
  return filled;
}
