/** Words of goals and actions, in the form in which they are compared. */

export { jaccard, wordSet } from "limbeck-base/base/words";
export { isFunctionWord, singular } from "limbeck-recorder/selection/words";

/** Words, addresses and marks, in order; letters keep their case. */
export function tokensOf(text: string): string[] {
  return text.match(/https?:\S+|[\p{L}\p{N}_]+(?:[-.@:/][\p{L}\p{N}_]+)*|[^\s\p{L}\p{N}]/gu) ?? [];
}

/** How a skill from calls of tools begins; the request that it is for follows on the same line. */
export const ASKED = "When asked:";

/** What a skill says to do, without the request and the numbers of the steps. */
export function adviceOf(text: string): string {
  return text.startsWith(ASKED) ? text.replace(/^.*\n?/, "").replaceAll(/^\d+\. /gm, "") : text;
}
