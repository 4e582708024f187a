/** Which of several nodes a search acts on. */
import { worthOf } from "./line-signs.ts";
import type { SearchNode } from "../walk/tree/node.ts";

/**
 * The worthiest; of equals the one that ended, then the shorter line, then the first.
 *
 * @example
 * const twice = defineSearch({
 *   info: { title: "Twice", meaning: "Plays two episodes and keeps the better.", paper: "Our own", confidence: "practice", formula: [], departures: [] },
 *   options: {},
 *   create: () => ({
 *     run: async (scope) => {
 *       const ends = [await scope.walkOn(scope.root), await scope.walkOn(scope.root)];
 *       return bestOf(ends.filter((end) => end !== undefined));
 *     },
 *   }),
 * });
 * console.log((await search({ env: "countdown", policy: "expert", tasks: 1, search: twice.create({}) })).success); // 1
 */
export function bestOf(nodes: readonly SearchNode[]): SearchNode | undefined {
  let best: SearchNode | undefined;
  for (const node of nodes) if (best === undefined || isBetter(node, best)) best = node;
  return best;
}

function isBetter(node: SearchNode, than: SearchNode): boolean {
  const [left, right] = [worthOf(node), worthOf(than)];
  if (left !== right) return left > right;
  const [over, other] = [node.ending !== undefined, than.ending !== undefined];
  if (over !== other) return over;
  return node.depth < than.depth;
}
