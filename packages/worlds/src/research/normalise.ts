/**
 * Answers are compared after normalisation: lower case, ASCII punctuation dropped, the articles a, an, the dropped,
 * blanks collapsed. Punctuation goes first, so "U.S." and "US" are the same.
 *
 * Source: the exact-match rule of SQuAD's evaluation, as Search-R1 and OPID use it.
 */
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** Articles as whole words. Letters and digits of every script count as part of a word, as in Python's `\b`. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

export function normaliseAnswer(text: string): string {
  return text.toLowerCase().replace(ASCII_PUNCTUATION, "").replace(ARTICLES, " ").replace(/\s+/g, " ").trim();
}

/**
 * Whether an answer is one of the right ones; case, articles and punctuation do not count.
 *
 * @example
 * console.log(matchesAnswer("the Jane Austen!", ["Jane Austen"])); // true
 */
export function matchesAnswer(given: string, gold: readonly string[]): boolean {
  const normal = normaliseAnswer(given);
  return gold.some((answer) => normaliseAnswer(answer) === normal);
}

/** Words for the index: runs of letters and digits in lower case, accents taken off. */
export function words(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}+/gu, "");
  return plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
