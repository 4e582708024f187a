/**
 * Guesses of the next tokens of a response, to be checked in one pass of the model.
 *
 * A guess costs nothing but speed: at every place the response draws from the model's own prediction with its own random
 * number, as it would without a draft, and the guess is kept where it is what was drawn. So what is said is the same, word for
 * word, up to rounding where two probabilities meet; and that a guess is kept is exactly as likely as the model finds it, which is the best
 * that a single guess can do.
 */
import type { Response } from "../response.ts";
import type { TrieNode } from "../trie.ts";
import { emptyTree, grow, type DraftTree, type Node } from "./tree.ts";
import type { WordMemory } from "./word-memory.ts";

export interface Drafted {
  readonly tokens: ArrayLike<number>;
  readonly count: number;
  readonly response: Response;
  /** Most nodes. */
  readonly most: number;
}

/**
 * A chain of at most `most` tokens. Where the allowed set leaves one way only, that is the guess. A token that ends the response is
 * not among them: it is drawn all the same, and what the memory has seen after it belongs to whoever speaks next.
 */
export function chainOf(memory: WordMemory, { tokens, count, response, most }: Drafted): DraftTree {
  const room = Math.min(most, response.left() - 1);
  const tail = tailOf(tokens, count);
  const tree = emptyTree();
  let place = response.place();
  for (let parent = -1; tree.tokens.length < room && (tree.reach[parent] ?? 1) >= FAINT; parent += 1) {
    const next = onlyWay(place) ?? memory.next(tail, tail.length);
    if (next === undefined || !isAllowed(place, next.token) || isLast(response, tree.tokens, place, next.token)) break;
    grow(tree, parent, next);
    tail.push(next.token);
    place = place?.next.get(next.token);
  }
  return tree;
}

/** The one token that may come next, where it is one. */
export function onlyWay(place: TrieNode | undefined): Node | undefined {
  return place?.ids.length === 1 ? { token: place.ids[0] as number, trust: 1 } : undefined;
}

export function isAllowed(place: TrieNode | undefined, token: number): boolean {
  return place === undefined || place.next.has(token);
}

/** Whether the response is over with the token, after the way to that place. */
export function isLast(
  response: Response,
  way: readonly number[],
  place: TrieNode | undefined,
  token: number,
): boolean {
  return place?.next.get(token)?.ids.length === 0 || response.ends(way, token);
}

/** A way that is less likely than this is not followed. */
export const FAINT = 0.05;
/** As far back as a memory looks. */
const TAIL = 8;

export function tailOf(tokens: ArrayLike<number>, count: number): number[] {
  const length = Math.min(count, TAIL);
  return Array.from({ length }, (_, at) => tokens[count - length + at] as number);
}
