/** What a tree search acts on in the end. */
import { bestOf } from "./choose.ts";
import { nodesBelow, type SearchNode } from "../walk/tree/node.ts";
import type { SearchScope } from "./search.ts";

/**
 * The best episode that ended anywhere in the tree, continuations that gave values included. Where none ended, or where
 * the search cannot tell a good end from a bad one, the line that was visited most.
 */
export async function bestInTree(scope: SearchScope): Promise<SearchNode | undefined> {
  const ended = nodesBelow(scope.root).filter((node) => node.ending !== undefined && node.ending !== "failed");
  if (scope.seesOutcome) await scope.evaluate(ended);
  const known = ended.filter(({ estimate }) => estimate !== undefined);
  return known.length > 0 ? bestOf(known) : mostVisited(scope.root);
}

export function mostVisited(root: SearchNode): SearchNode | undefined {
  let node = root;
  for (;;) {
    let next: SearchNode | undefined;
    for (const child of node.children) {
      const isMore =
        next === undefined || child.visits > next.visits || (child.visits === next.visits && child.mean > next.mean);
      if (isMore && !child.dropped) next = child;
    }
    if (next === undefined) return node === root ? undefined : node;
    node = next;
  }
}
