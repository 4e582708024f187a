/** Which earlier attempts of a chain a new one builds on (SimpleTES): by lot among the best, or by value and curiosity. */

/** Shares of the draws that go to the best attempts and to the middle, and how large those parts are. */
const BEST = { share: 0.7, until: 0.2 };
const MIDDLE = { share: 0.2, from: 0.1, until: 0.6 };

/**
 * So many of a chain's attempts, given best first. The best is always among them; each further one is drawn from the best
 * fifth, from the middle, or from all. `draw` gives numbers from 0 to 1, two for each.
 */
export function balanced<Item>(ranked: readonly Item[], count: number, draw: () => number): Item[] {
  if (ranked.length <= count) return [...ranked];
  const size = ranked.length;
  const part = (share: number): number => Math.floor(size * share);
  const best = ranked.slice(0, Math.max(1, part(BEST.until)));
  const middle = ranked.slice(Math.max(1, part(MIDDLE.from)), Math.max(2, part(MIDDLE.until)));
  const chosen = new Set(ranked.slice(0, Math.min(1, count)));
  while (chosen.size < count) {
    const lot = draw();
    const from = lot < BEST.share ? best : lot < BEST.share + MIDDLE.share ? middle : ranked;
    const fresh = from.filter((item) => !chosen.has(item));
    const open = fresh.length > 0 ? fresh : ranked.filter((item) => !chosen.has(item));
    chosen.add(open[Math.floor(draw() * open.length)] as Item);
  }
  return [...chosen];
}

/** An attempt with those it was built on. */
export interface Built<Self> {
  readonly worth: number;
  readonly parents: readonly Self[];
}

export interface RankedOptions<Item> {
  readonly count: number;
  /** Weight of curiosity. */
  readonly explore: number;
  /** How much of a child's value its parents have. */
  readonly decay: number;
  /** How often an attempt of this chain was built on, and how often the chain has been. */
  readonly uses: (item: Item) => number;
  readonly rounds: number;
}

/** Of each value the share of all that are below it. */
export function ranksOf(values: readonly number[]): number[] {
  const sorted = values.toSorted((left, right) => left - right);
  return values.map((value) => sorted.indexOf(value) / values.length);
}

/**
 * So many of a chain's attempts by rank(V) + explore rank(worth) sqrt(1 + rounds) / (1 + uses); neither parents nor children of a
 * chosen one. V is the worth, or decay times the largest V of its children. Ranks are among the attempts of all chains,
 * given in the order in which they were made.
 */
export function ranked<Item extends Built<Item>>(
  chain: readonly Item[],
  population: readonly Item[],
  { count, explore, decay, uses, rounds }: RankedOptions<Item>,
): Item[] {
  const children = new Map<Item, Item[]>();
  for (const item of population) {
    for (const parent of item.parents) children.set(parent, [...(children.get(parent) ?? []), item]);
  }
  const values = new Map<Item, number>();
  for (const item of population.toReversed()) {
    const below = (children.get(item) ?? []).map((child) => decay * (values.get(child) ?? Number.NEGATIVE_INFINITY));
    values.set(item, Math.max(item.worth, ...below));
  }
  const byValue = ranksOf(population.map((item) => values.get(item) as number));
  const byWorth = ranksOf(population.map(({ worth }) => worth));
  const place = new Map(population.map((item, at) => [item, at]));
  const score = (item: Item): number => {
    const at = place.get(item) ?? -1;
    const curiosity = ((byWorth[at] ?? 0) * Math.sqrt(1 + rounds)) / (1 + uses(item));
    return (byValue[at] ?? 0) + explore * curiosity;
  };
  const scores = new Map(chain.map((item) => [item, score(item)]));
  const order = chain.toSorted((left, right) => (scores.get(right) as number) - (scores.get(left) as number));
  const [chosen, near] = [[] as Item[], new Set<Item>()];
  for (const item of order) {
    if (chosen.length >= count) break;
    if (near.has(item)) continue;
    chosen.push(item);
    for (const other of [item, ...item.parents, ...(children.get(item) ?? [])]) near.add(other);
  }
  return chosen;
}
