/** Words of goals and actions, in the form in which they are compared. */

export { isFunctionWord } from "../../record/recorder/selection/words.ts";

/** Words, addresses and marks, in order; letters keep their case. */
export function tokensOf(text: string): string[] {
  return text.match(/https?:\S+|[\p{L}\p{N}_]+(?:[-.@:/][\p{L}\p{N}_]+)*|[^\s\p{L}\p{N}]/gu) ?? [];
}

/** Different words in lower case. */
export function wordSet(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** |A and B| / |A or B|; 0 where both are empty. */
export function jaccard(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let both = 0;
  for (const word of left) if (right.has(word)) both += 1;
  const either = left.size + right.size - both;
  return either === 0 ? 0 : both / either;
}

/** How a skill from calls of tools begins; the request that it is for follows on the same line. */
export const ASKED = "When asked:";

/** What a skill says to do, without the request and the numbers of the steps. */
export function adviceOf(text: string): string {
  return text.startsWith(ASKED) ? text.replace(/^.*\n?/, "").replaceAll(/^\d+\. /gm, "") : text;
}
