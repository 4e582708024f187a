/**
 * Two tokenisations of one text, brought together: the smallest spans at whose ends both have a cut. What is known of such
 * a span by the one is shared out among the tokens of the other.
 */

/** Tokens `[from, to)` of the one and `[otherFrom, otherTo)` of the other spell the same piece of text. */
export interface CommonSpan {
  readonly from: number;
  readonly to: number;
  readonly otherFrom: number;
  readonly otherTo: number;
}

/** By the lengths of the tokens' texts. A token of length 0 (half a letter) belongs to the span that its letter is in. */
export function commonSpans(lengths: ArrayLike<number>, others: ArrayLike<number>): CommonSpan[] {
  const spans: CommonSpan[] = [];
  let [from, otherFrom, at, other, end, otherEnd] = [0, 0, 0, 0, 0, 0];
  while (at < lengths.length || other < others.length) {
    if (at < lengths.length && (end <= otherEnd || other >= others.length)) {
      end += lengths[at] as number;
      at += 1;
    } else {
      otherEnd += others[other] as number;
      other += 1;
    }
    if (end !== otherEnd || end === 0) continue;
    // Tokens without text of their own wait for the letter they begin, not for the one they follow.
    if ((at > from && other > otherFrom) || (at === lengths.length && other === others.length)) {
      spans.push({ from, to: at, otherFrom, otherTo: other });
      [from, otherFrom] = [at, other];
    }
  }
  return spans;
}

/**
 * Log-probabilities of the other tokens, as log-probabilities of ours: each span's sum, shared out in proportion to
 * `shares` (the lengths of our tokens, or how surprising the policy itself found each). Sums over spans stay the same.
 */
export function shareOut(
  spans: readonly CommonSpan[],
  logprobs: ArrayLike<number>,
  shares: ArrayLike<number>,
): Float64Array {
  const last = spans.at(-1)?.to ?? 0;
  const out = new Float64Array(last);
  for (const { from, to, otherFrom, otherTo } of spans) {
    let [sum, whole] = [0, 0];
    for (let at = otherFrom; at < otherTo; at += 1) sum += logprobs[at] as number;
    for (let at = from; at < to; at += 1) whole += shares[at] as number;
    for (let at = from; at < to; at += 1) {
      out[at] = whole > 0 ? (sum * (shares[at] as number)) / whole : sum / (to - from);
    }
  }
  return out;
}
