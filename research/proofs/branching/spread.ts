/** How far apart the members of a group are, and how well a number tells two kinds apart. */

export function pairsOf<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return items.flatMap((one, at) => items.slice(at + 1).map((other) => [one, other] as const));
}

/** Levenshtein's distance of two sequences as a share of the longer. */
export function editDistance(left: readonly string[], right: readonly string[]): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (const [at, word] of left.entries()) {
    const next = [at + 1];
    for (const [place, other] of right.entries()) {
      const swapped = (row[place] as number) + (word === other ? 0 : 1);
      next.push(Math.min(swapped, (row[place + 1] as number) + 1, (next[place] as number) + 1));
    }
    row = next;
  }
  return (row.at(-1) as number) / Math.max(1, left.length, right.length);
}

export interface Ranked {
  readonly group: string;
  readonly useful: boolean;
  readonly value: number;
}

/** Pairs of a useful and a useless one of the same group, and how many of them the value has in order; ties count half. */
export function orderedShare(all: readonly Ranked[]): { readonly pairs: number; readonly ordered: number } {
  let [pairs, ordered] = [0, 0];
  for (const one of all) {
    for (const other of all) {
      if (!one.useful || other.useful || one.group !== other.group) continue;
      pairs += 1;
      ordered += one.value > other.value ? 1 : one.value === other.value ? 0.5 : 0;
    }
  }
  return { pairs, ordered };
}
