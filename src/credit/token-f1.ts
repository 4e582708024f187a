/** F1 of the sets of words of two texts, in any case; 0 where either has none. */
export function tokenF1(found: string, expected: string): number {
  const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const [left, right] = [words(found), words(expected)];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared === 0 ? 0 : (2 * shared) / (left.size + right.size);
}
