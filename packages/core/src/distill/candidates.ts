/** The words a teacher finds most likely at each token, out of its whole distribution. */

export interface Candidates {
  readonly count: number;
  /** Flat, `count` per token, most likely first; ties by the smaller id. */
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
}

/** `distribution` is flat, one vocabulary per token. The whole vocabulary, in order of ids, when `count` covers it. */
export function topCandidates(distribution: Float32Array, vocabularySize: number, count: number): Candidates {
  const tokens = distribution.length / vocabularySize;
  const width = Math.min(count, vocabularySize);
  const ids = new Int32Array(tokens * width);
  const logprobs = new Float32Array(tokens * width);
  const order = Array.from({ length: vocabularySize }, (_, id) => id);
  for (let token = 0; token < tokens; token += 1) {
    const own = distribution.subarray(token * vocabularySize, (token + 1) * vocabularySize);
    const best =
      width === vocabularySize
        ? order
        : order.toSorted((left, right) => (own[right] as number) - (own[left] as number) || left - right);
    for (let at = 0; at < width; at += 1) {
      const id = best[at] as number;
      ids[token * width + at] = id;
      logprobs[token * width + at] = own[id] as number;
    }
  }
  return { count: width, ids, logprobs };
}
