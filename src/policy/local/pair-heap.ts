/** A heap of token pairs: the most frequent first, the smaller key among equals. */

export interface PairHeap {
  push(key: number, count: number): void;
  pop(): { readonly key: number; readonly count: number } | undefined;
}

export function createPairHeap(): PairHeap {
  const keys: number[] = [];
  const counts: number[] = [];
  const before = (left: number, right: number): boolean => {
    const [a, b] = [counts[left] as number, counts[right] as number];
    return a !== b ? a > b : (keys[left] as number) < (keys[right] as number);
  };
  const swap = (left: number, right: number): void => {
    [keys[left], keys[right]] = [keys[right] as number, keys[left] as number];
    [counts[left], counts[right]] = [counts[right] as number, counts[left] as number];
  };
  const sink = (): void => {
    for (let at = 0; ;) {
      const [left, right] = [at * 2 + 1, at * 2 + 2];
      let first = at;
      if (left < keys.length && before(left, first)) first = left;
      if (right < keys.length && before(right, first)) first = right;
      if (first === at) return;
      swap(at, first);
      at = first;
    }
  };
  return {
    push: (key, count) => {
      let at = keys.push(key) - 1;
      counts.push(count);
      while (at > 0 && before(at, (at - 1) >> 1)) {
        swap(at, (at - 1) >> 1);
        at = (at - 1) >> 1;
      }
    },
    pop: () => {
      if (keys.length === 0) return undefined;
      swap(0, keys.length - 1);
      const top = { key: keys.pop() as number, count: counts.pop() as number };
      sink();
      return top;
    },
  };
}
