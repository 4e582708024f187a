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
import type { WordMemory } from "./word-memory.ts";

export interface Drafted {
  readonly tokens: ArrayLike<number>;
  readonly count: number;
  readonly response: Response;
  readonly most: number;
}

/** At most `most` tokens. Where the allowed set leaves one way only, that is the guess. */
export function draftOf(memory: WordMemory, { tokens, count, response, most }: Drafted): number[] {
  const room = Math.min(most, response.left() - 1);
  let place: TrieNode | undefined = response.place();
  const tail = Array.from(
    { length: Math.min(count, TAIL) },
    (_, at) => tokens[count - Math.min(count, TAIL) + at] as number,
  );
  const draft: number[] = [];
  while (draft.length < room) {
    const id = place?.ids.length === 1 ? place.ids[0] : memory.next(tail, tail.length);
    if (id === undefined || (place !== undefined && !place.next.has(id))) break;
    draft.push(id);
    tail.push(id);
    place = place?.next.get(id);
    if (place?.ids.length === 0) break;
  }
  return draft;
}

/** As far back as a memory looks. */
const TAIL = 8;
