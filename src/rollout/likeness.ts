/** How alike two goals are: the share of their words that both have. */
export function goalLikeness(left: string, right: string): number {
  const [a, b] = [wordsOf(left), wordsOf(right)];
  const both = [...a].filter((word) => b.has(word)).length;
  return both === 0 ? 0 : both / (a.size + b.size - both);
}

export function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
