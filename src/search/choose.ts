/** Which of several nodes a search acts on. */
import type { SearchNode } from "./node.ts";

/** The highest estimate; of equals the one that ended, then the shorter line, then the first. */
export function bestOf(nodes: readonly SearchNode[]): SearchNode | undefined {
  let best: SearchNode | undefined;
  for (const node of nodes) if (best === undefined || isBetter(node, best)) best = node;
  return best;
}

function isBetter(node: SearchNode, than: SearchNode): boolean {
  const [left, right] = [node.estimate ?? -1, than.estimate ?? -1];
  if (left !== right) return left > right;
  const [over, other] = [node.ending !== undefined, than.ending !== undefined];
  if (over !== other) return over;
  return node.depth < than.depth;
}
