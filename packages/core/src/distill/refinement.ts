/**
 * Which rewritten solutions are good enough to learn from (RAFT's first stage): they must come to the
 * same end, and their meaning must be near that of the original. What they leave out is returned beside them.
 */
import { cutWords } from "limbeck-base/base/words";

/** Cosine of the counts of words: 1 for the same words, 0 where none is shared. */
export function wordCosine(left: readonly string[], right: readonly string[]): number {
  const [one, other] = [wordCounts(left), wordCounts(right)];
  let shared = 0;
  for (const [word, count] of one) shared += count * (other.get(word) ?? 0);
  const length = (counts: ReadonlyMap<string, number>): number =>
    Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0));
  return shared === 0 ? 0 : shared / (length(one) * length(other));
}

/** Whether a rewrite takes the place of the original. */
export function isRefined(
  original: readonly string[],
  rewrite: { readonly actions: readonly string[]; readonly success: boolean | null } | undefined,
  leastLikeness: number,
): boolean {
  return rewrite?.success === true && wordCosine(original, rewrite.actions) >= leastLikeness;
}

/** What the original says and the rewrite does not, in order; what it says less often, as often as it is missing. */
export function leftOut(original: readonly string[], rewrite: readonly string[]): string[] {
  const said = [...rewrite];
  return original.filter((action) => {
    const at = said.indexOf(action);
    if (at >= 0) said.splice(at, 1);
    return at < 0;
  });
}

function wordCounts(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of cutWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
