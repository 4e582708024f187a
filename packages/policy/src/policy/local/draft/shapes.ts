/**
 * Trees of guesses that grow from a memory of n-grams, to be checked in one pass of the model.
 *
 * A guess costs nothing but speed: every token of the response is drawn from the model's own prediction with its own random
 * number, as it would be without a draft, and the guess is kept where it is what was drawn. So the response is the same, token for
 * token, up to rounding where two probabilities meet; and that a guess is kept is exactly as likely as the model finds it, which is the best
 * that a single guess can do.
 */
import type { Response, TrieNode } from "../response.ts";
import { childOf, emptyTree, FAINT, grow, pruneTree, wayTo, type DraftTree, type Growing, type Node } from "./tree.ts";
import type { WordMemory } from "./word-memory.ts";
import type { Expand } from "./drafters.ts";
import type { DraftTreeKind } from "./kinds.ts";

export interface Drafted {
  readonly tokens: ArrayLike<number>;
  readonly count: number;
  readonly response: Response;
  /** Most nodes. */
  readonly most: number;
}

/** As far back as a memory looks. */
const TAIL = 8;

/**
 * A chain of at most `most` tokens. Where the allowed set leaves one way only, that is the guess. A token that ends the response is
 * not among them: it is drawn all the same, and what the memory has seen after it belongs to the next message.
 */
export function chainOf(memory: WordMemory, drafted: Drafted): DraftTree {
  return spineOf(memory, drafted, 0);
}

/** The likeliest tokens one after the other, with at most so many others beside each. */
function spineOf(memory: WordMemory, { tokens, count, response, most }: Drafted, branches: number): Growing {
  const depth = Math.min(most, response.left() - 1);
  const tail = tailOf(tokens, count);
  const way: number[] = [];
  const tree = emptyTree();
  let [place, parent] = [response.place(), -1];
  while (way.length < depth && (tree.reach[parent] ?? 1) >= FAINT) {
    const only = onlyWay(place);
    const next = only ?? memory.next(tail, tail.length);
    if (next === undefined) break;
    const goesOn = ({ token }: Node): boolean => isAllowed(place, token) && !isLast(response, way, place, token);
    const fits = goesOn(next);
    if (!fits && isAllowed(place, next.token)) break;
    const others = only === undefined && branches > 0 ? memory.others(tail, tail.length) : [];
    const [first, ...sides] = [...(fits ? [next] : []), ...others.filter(goesOn)].slice(0, 1 + branches);
    if (first === undefined) break;
    const node = grow(tree, parent, first);
    // What is left of the chance when the tokens before it were wrong.
    let left = 1 - first.trust;
    for (const side of sides) {
      grow(tree, parent, { ...side, trust: left * side.trust });
      left *= 1 - side.trust;
    }
    parent = node;
    tail.push(first.token);
    way.push(first.token);
    place = place?.next.get(first.token);
  }
  return tree;
}

/** Goes on from a node by what the memory knows, at most so many steps; nodes that are there already are passed. */
export function follow(memory: WordMemory, tree: Growing, start: number, drafted: Drafted, steps = Infinity): void {
  const { tokens, count, response, most } = drafted;
  const way = wayTo(tree, start);
  const tail = [...tailOf(tokens, count), ...way];
  let node = start;
  for (let step = 0; step < steps && tree.tokens.length < most && way.length < response.left() - 1; step += 1) {
    const next = memory.next(tail, tail.length);
    if (next === undefined || response.ends(way, next.token)) return;
    const known = childOf(tree, node, next.token);
    node = known < 0 ? grow(tree, node, next) : known;
    tail.push(next.token);
    way.push(next.token);
  }
}

/** The one token that may come next, where it is one. */
function onlyWay(place: TrieNode | undefined): Node | undefined {
  return place?.ids.length === 1 ? { token: place.ids[0] as number, trust: 1 } : undefined;
}

function isAllowed(place: TrieNode | undefined, token: number): boolean {
  return place === undefined || place.next.has(token);
}

/** Whether the response is over with the token, after the way to that place. */
function isLast(response: Response, way: readonly number[], place: TrieNode | undefined, token: number): boolean {
  return place?.next.get(token)?.ids.length === 0 || response.ends(way, token);
}

export function tailOf(tokens: ArrayLike<number>, count: number): number[] {
  const length = Math.min(count, TAIL);
  return Array.from({ length }, (_, at) => tokens[count - length + at] as number);
}

// A tree with a spine (Goose): what followed the longest known run goes down as a chain, since such tokens are mostly right;
// tokens that followed shorter runs, which are right less often, become short branches at its side. So the nodes go deep where
// guesses are good and wide where they are not.

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
  return pruneTree(tree, drafted.most);
}

// A tree that branches late (Delayed Tree Expansion): the draft model goes down one way as long as it is sure, and only where
// it is not does the tree branch. Branching at the root spends most nodes on ways that the first token already rules out.

export interface Delay {
  /** How many tokens are guessed before the tree branches; "unsure": up to the first that the draft model gives less than `sure`. Default: "unsure". */
  readonly tokens?: number | "unsure";
  /** Default: 0.7. */
  readonly sure?: number;
  /** Ways that go on from there. Default: 3. */
  readonly branches?: number;
}

function delayedExpansion({ tokens = "unsure", sure = 0.7, branches = 3 }: Delay = {}): Expand {
  return (sprout, nodes) => {
    const [first] = nodes;
    if (first === undefined || sprout.branched) return nodes.slice(0, 1);
    const now = tokens === "unsure" ? first.trust < sure : sprout.depth >= tokens;
    return now ? nodes.slice(0, branches) : [first];
  };
}

/** What the tree of a guesser grows by. */
export function expansionOf(kind: DraftTreeKind, delay: Delay | undefined): Expand {
  return kind === "chain" || kind === "parallel" ? (_, nodes) => nodes.slice(0, 1) : delayedExpansion(delay);
}

// A tree whose weak nodes make room (Graft): nodes that the draft model itself hardly believes in are cut, and the room is given
// to what the memory knows, at the end of every way that is left.

/** Nodes that are less likely than this make room. */
const WEAK = 0.1;

/** At most `most` nodes. */
export function graftTree(memory: WordMemory, tree: DraftTree, drafted: Drafted): DraftTree {
  const strong = pruneTree(tree, Math.min(drafted.most, tree.reach.filter((reach) => reach >= WEAK).length));
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
