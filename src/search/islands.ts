/**
 * A population on islands, as evolutionary searches with an evaluator keep it (FM Agent, EvoGit): each island holds its
 * fittest, parents are drawn by fitness and novelty, and now and then the best of an island moves on to the next.
 *
 *   weight of a parent = exp((fitness + novelty x rarity - highest) / temperature)
 *   rarity             = 1 / how many of the island share its kind
 *
 * A child's parents are kept, so that every one can be traced to those it came from; the best fitness never falls.
 */
import type { Rng } from "../base/index.ts";

export interface Member<T> {
  readonly id: number;
  readonly item: T;
  readonly fitness: number;
  /** Members of one kind are alike: the same final state, the same answer. */
  readonly kind: string;
  readonly parents: readonly number[];
}

export interface IslandOptions {
  readonly islands: number;
  /** Members an island keeps. */
  readonly capacity: number;
  /** High: any parent; low: the fittest. */
  readonly temperature: number;
  /** What being the only one of its kind is worth, in fitness. */
  readonly novelty: number;
}

export interface Islands<T> {
  /** Every member that was ever added, by id. */
  readonly members: readonly Member<T>[];
  readonly best: Member<T> | undefined;
  on(island: number): readonly Member<T>[];
  add(island: number, born: Omit<Member<T>, "id">): Member<T>;
  /** Undefined on an empty island. */
  parent(island: number, rng: Rng): Member<T> | undefined;
  /** The best of each island also settles on the next one. */
  migrate(): void;
}

export function createIslands<T>({ islands, capacity, temperature, novelty }: IslandOptions): Islands<T> {
  const members: Member<T>[] = [];
  const held: Member<T>[][] = Array.from({ length: islands }, () => []);
  let best: Member<T> | undefined;
  const settle = (island: number, member: Member<T>): void => {
    const own = held[island] ?? [];
    if (own.includes(member)) return;
    // Of the equally fit the older stays, so that a flood of copies displaces nothing.
    held[island] = [...own, member].toSorted((left, right) => right.fitness - left.fitness || left.id - right.id);
    held[island].splice(capacity);
  };
  const rarity = (own: readonly Member<T>[], { kind }: Member<T>): number =>
    1 / own.filter((other) => other.kind === kind).length;
  return {
    members,
    get best() {
      return best;
    },
    on: (island) => held[island] ?? [],
    add: (island, born) => {
      const member = { ...born, id: members.length };
      members.push(member);
      if (best === undefined || member.fitness > best.fitness) best = member;
      settle(island, member);
      return member;
    },
    parent: (island, rng) => {
      const own = held[island] ?? [];
      const worths = own.map((member) => member.fitness + novelty * rarity(own, member));
      const highest = Math.max(...worths);
      return drawn(own, worths.map((worth) => Math.exp((worth - highest) / temperature)), rng); // prettier-ignore
    },
    migrate: () => {
      const leaders = held.map((own) => own[0]);
      for (const [island, leader] of leaders.entries()) {
        if (leader !== undefined) settle((island + 1) % islands, leader);
      }
    },
  };
}

function drawn<T>(items: readonly T[], weights: readonly number[], rng: Rng): T | undefined {
  let left = rng.float() * weights.reduce((total, weight) => total + weight, 0);
  for (const [at, item] of items.entries()) {
    left -= weights[at] ?? 0;
    if (left < 0) return item;
  }
  return items.at(-1);
}
