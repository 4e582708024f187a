/**
 * A tree with a spine (Goose): what followed the longest known run goes down as a chain, since such tokens are mostly right;
 * tokens that followed shorter runs, which are right less often, become short branches at its side. So the nodes go deep where
 * guesses are good and wide where they are not.
 */
import { follow, spineOf, type Drafted } from "./memory-trees.ts";
import { pruned, type DraftTree } from "./tree.ts";
import type { WordMemory } from "./word-memory.ts";

/** Branches at each node of the spine. */
const BRANCHES = 2;

/** At most `most` nodes, the likeliest of them. */
export function gooseTree(memory: WordMemory, drafted: Drafted): DraftTree {
  const tree = spineOf(memory, drafted, BRANCHES);
  // Where the response is confined, what may come next is known to the allowed set and not to the memory.
  if (drafted.response.place() === undefined) {
    const leaves = tree.tokens.map((_, node) => node).filter((node) => !tree.parents.includes(node));
    for (const leaf of leaves) follow(memory, tree, leaf, { ...drafted, most: Infinity }, 1);
  }
  return pruned(tree, drafted.most);
}
