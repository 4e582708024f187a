/** How many words two texts share, as F1 over sets of lower-case words. */

/**
 * 1 for two texts without words, 0 where exactly one has none.
 *
 * @example
 * console.log(wordF1("the red mug", "a red mug").toFixed(2)); // 0.67
 */
export function wordF1(text: string, gold: string): number {
  const own = words(text);
  const wanted = words(gold);
  if (own.size === 0 || wanted.size === 0) return own.size === wanted.size ? 1 : 0;
  const shared = [...own].filter((word) => wanted.has(word)).length;
  return (2 * shared) / (own.size + wanted.size);
}

function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
