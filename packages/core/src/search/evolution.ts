/** Evolution with an evaluator: islands of attempts, changed and crossed by the policy, kept by fitness and novelty. */
import { drawWeighted, pick, type Rng } from "limbeck-base/base/rng";
import { option } from "limbeck-base/base/option";
import { attempt } from "./attempts.ts";
import { isSolved, worthOf } from "./worth.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { defineSearch, type SearchScope } from "./search.ts";

export const evolution = defineSearch({
  info: {
    title: "Evolution",
    paper: "The FM Agent; EvoGit: Decentralized Code Evolution via Git-Based Multi-Agent Collaboration",
    confidence: "inferred",
    source: "BillHuang2001/evogit @ c31073a4; experiments/evogit_algorithm.py: EvoGitAlgo",
    formula: [
      "fitness   = worth of an attempt's end (the evaluator); kind = the state it ended in",
      "parent    : chance ~ exp((fitness + novelty x rarity of its kind) / temperature), on its own island",
      "mutation  = the policy goes on from a step of the parent that is drawn; crossover = from a state two parents passed, with the other's actions",
      "migration = every `migrate` generations the best of an island settles on the next",
    ],
    meaning:
      "Evolves attempts on islands: parents by fitness and novelty, children by the policy, an evaluator decides.",
    departures: [
      "EvoGit pairs its population at random and puts a child in the place of parents that lose to it; parents by chance, novelty and islands are after the abstract of the FM Agent.",
      "Children of a generation are all born from the generation before, so that working in parallel changes nothing.",
      "A cold start is the policy's own attempts; nobody gives expert advice.",
    ],
  },
  options: {
    islands: option.count(2, "islands"),
    births: option.count(2, "children of an island in a generation"),
    generations: option.count(12, "generations, the first included"),
    capacity: option.count(6, "members an island keeps"),
    crossover: option.share(0.3, "share of children with two parents"),
    temperature: option.number(0.3, "how freely parents are drawn", { least: 0.01 }),
    novelty: option.number(0.2, "what being the only one of its kind is worth", { least: 0 }),
    migrate: option.count(3, "generations between two migrations"),
  },
  create: (options) => ({
    run: async (scope) => {
      const islands = createIslands<SearchNode>(options);
      for (let generation = 0; generation < options.generations; generation += 1) {
        const rng = scope.rng.split(`generation ${generation}`);
        const plans = Array.from({ length: options.islands * options.births }, (_, birth) => ({
          island: Math.floor(birth / options.births),
          ...parentsOf(islands, Math.floor(birth / options.births), options.crossover, rng.split(birth)),
        }));
        const born = await bear(scope, plans, generation === 0);
        for (const [at, { island, parents }] of plans.entries()) {
          const item = born[at];
          if (item === undefined) continue;
          if (parents.length > 0) item.info = { ...item.info, parents: parents.map(({ id }) => id), generation };
          islands.add(island, {
            item,
            fitness: worthOf(item),
            kind: item.stateKey,
            parents: parents.map(({ id }) => id),
          });
        }
        if (born.every((child) => child === undefined)) break;
        if (islands.best !== undefined && isSolved(islands.best.item)) break;
        if ((generation + 1) % options.migrate === 0) islands.migrate();
      }
      return islands.best?.item;
    },
  }),
});

interface Birth {
  readonly island: number;
  readonly parents: readonly Member<SearchNode>[];
  readonly rng: Rng;
}

function parentsOf(
  islands: Islands<SearchNode>,
  island: number,
  crossover: number,
  rng: Rng,
): { readonly parents: Member<SearchNode>[]; readonly rng: Rng } {
  const first = islands.parent(island, rng);
  const second = rng.float() < crossover ? islands.parent(island, rng) : undefined;
  const parents = [first, second].filter((parent) => parent !== undefined);
  return { parents: first === second ? parents.slice(0, 1) : parents, rng };
}

async function bear(
  scope: SearchScope,
  births: readonly Birth[],
  isFirst: boolean,
): Promise<(SearchNode | undefined)[]> {
  if (isFirst) return await attempt(scope, births.length);
  const children = await scope.each(births, (own, birth) => child(own, birth));
  await scope.evaluate(children.filter((end) => end !== undefined));
  return children;
}

/** A child of no parents begins anew; of one goes its own way from a step of it; of two also takes from the other. */
async function child(scope: SearchScope, { parents, rng }: Birth): Promise<SearchNode | undefined> {
  const [first, second] = parents;
  if (first === undefined) return await scope.walkOn(scope.root);
  const crossing = second === undefined ? undefined : crossingOf(first.item, second.item, rng);
  if (crossing === undefined) {
    const from = pick(openLine(first.item), rng) ?? scope.root;
    return await scope.walkOn(from);
  }
  let node = crossing.at;
  for (const action of crossing.actions) {
    const next = await scope.take(node, action);
    if (next === undefined) break;
    node = next;
    if (node.closed) return node;
  }
  return (await scope.walkOn(node)) ?? (node === crossing.at ? undefined : node);
}

/** Where the first passes a state that the second passes too, and what the second did after it. */
function crossingOf(
  first: SearchNode,
  second: SearchNode,
  rng: Rng,
): { readonly at: SearchNode; readonly actions: readonly string[] } | undefined {
  const other = lineTo(second);
  const shared = openLine(first).flatMap((at) => {
    const place = other.findLastIndex(({ stateKey }) => stateKey === at.stateKey);
    const rest = place < 0 ? [] : other.slice(place + 1).map(({ action = "" }) => action);
    // What both have done is no child of two.
    return rest.length === 0 || other.includes(at) ? [] : [{ at, actions: rest }];
  });
  return pick(shared, rng);
}

/** The nodes of a line from which something can go on. */
function openLine(leaf: SearchNode): SearchNode[] {
  return lineTo(leaf).filter(({ closed }) => !closed);
}

// A population on islands, as evolutionary searches with an evaluator keep it (FM Agent, EvoGit): each island holds its
// fittest, parents are drawn by fitness and novelty, and now and then the best of an island moves on to the next.
//
//   weight of a parent = exp((fitness + novelty x rarity - highest) / temperature)
//   rarity             = 1 / how many of the island share its kind
//
// A child's parents are kept, so that every one can be traced to those it came from; the best fitness never falls.

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
      const weights = worths.map((worth) => Math.exp((worth - highest) / temperature));
      return drawWeighted(own.map((member, at) => [member, weights[at] as number]), rng); // prettier-ignore
    },
    migrate: () => {
      const leaders = held.map((own) => own[0]);
      for (const [island, leader] of leaders.entries()) {
        if (leader !== undefined) settle((island + 1) % islands, leader);
      }
    },
  };
}
