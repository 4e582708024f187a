/** Whether a text turns in circles: some piece of `length` characters stands in it `times` times, not overlapping itself. */
export function isRepetitive(text: string, length: number, times: number): boolean {
  const seen = new Map<string, { count: number; end: number }>();
  for (let start = 0; start + length <= text.length; start += 1) {
    const piece = text.slice(start, start + length);
    const known = seen.get(piece);
    if (known === undefined) seen.set(piece, { count: 1, end: start + length });
    else if (start >= known.end) {
      known.count += 1;
      known.end = start + length;
    }
    if ((seen.get(piece)?.count ?? 0) >= times) return true;
  }
  return false;
}
