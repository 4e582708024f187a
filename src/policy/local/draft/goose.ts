/**
 * A tree with a spine (Goose): what followed the longest known run goes down as a chain, since such words are mostly right;
 * words that followed shorter runs, which are right less often, become short branches at its side. So the nodes go deep where
 * guesses are good and wide where they are not.
 */
import { FAINT, isAllowed, isLast, onlyWay, tailOf, type Drafted } from "./drafter.ts";
import { emptyTree, grow, pruned, wayTo, type DraftTree, type Node } from "./tree.ts";
import type { WordMemory } from "./word-memory.ts";

/** Branches at each node of the spine. */
const BRANCHES = 2;

/** At most `most` nodes, the likeliest of them. */
export function gooseTree(
  memory: WordMemory,
  { tokens, count, response, most }: Drafted,
  branches: number = BRANCHES,
): DraftTree {
  const depth = Math.min(most, response.left() - 1);
  const tail = tailOf(tokens, count);
  const tree = emptyTree();
  let place = response.place();
  let spine = -1;
  for (let reached = 0; reached < depth && (tree.reach[spine] ?? 1) >= FAINT; reached += 1) {
    const only = onlyWay(place);
    const next = only ?? memory.next(tail, tail.length);
    if (next === undefined) break;
    const parent = spine;
    const others = only === undefined ? memory.others(tail, tail.length) : [];
    const way = wayTo(tree, parent);
    const goesOn = ({ token }: Node): boolean => isAllowed(place, token) && !isLast(response, way, place, token);
    if (!goesOn(next) && isAllowed(place, next.token)) break;
    const [first, ...sides] = [next, ...others].filter(goesOn).slice(0, 1 + branches);
    if (first === undefined) break;
    spine = grow(tree, parent, first);
    // What is left of the chance when the words before it were wrong.
    let left = 1 - first.trust;
    for (const side of sides) {
      grow(tree, parent, { ...side, trust: left * side.trust });
      left *= 1 - side.trust;
    }
    tail.push(first.token);
    place = place?.next.get(first.token);
  }
  return pruned(extended(memory, tree, { tokens, count, response, most }), most);
}

/** Each branch goes on by one word, where it is known. */
function extended(
  memory: WordMemory,
  tree: ReturnType<typeof emptyTree>,
  { tokens, count, response }: Drafted,
): DraftTree {
  if (response.place() !== undefined) return tree;
  const leaves = tree.tokens.map((_, node) => node).filter((node) => !tree.parents.includes(node));
  for (const leaf of leaves) {
    const way = wayTo(tree, leaf);
    if (way.length >= response.left() - 1) continue;
    const tail = [...tailOf(tokens, count), ...way];
    const next = memory.next(tail, tail.length);
    if (next !== undefined && !response.ends(way, next.token)) grow(tree, leaf, next);
  }
  return tree;
}
