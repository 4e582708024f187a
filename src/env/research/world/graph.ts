/**
 * A typed graph of invented facts. Every fact is written in the passage of its subject only, so what an agent must
 * join is known exactly.
 *
 * The graph falls into lands that share no entity: one for each split. Questions of different splits are therefore
 * about different things, although all passages stand in one corpus.
 */
import { pick, shuffle, type Rng } from "../../../base/index.ts";
import { createNamer, type Namer } from "./names.ts";
import { researchWords, type Kind } from "./words.ts";

/** What is said of a thing, and what kind of thing the fact names; "word" is a plain word or a year. */
export const relations = {
  birthplace: { from: "person", to: "town" },
  born: { from: "person", to: "word" },
  teacher: { from: "person", to: "person" },
  society: { from: "person", to: "society" },
  tour: { from: "person", to: "town" },
  maker: { from: "work", to: "person" },
  keeper: { from: "work", to: "society" },
  founder: { from: "society", to: "person" },
  founded: { from: "society", to: "word" },
  seat: { from: "society", to: "town" },
  emblem: { from: "society", to: "word" },
  river: { from: "town", to: "river" },
  mayor: { from: "town", to: "person" },
  builder: { from: "vessel", to: "society" },
  port: { from: "vessel", to: "town" },
  winner: { from: "honour", to: "person" },
  donor: { from: "honour", to: "society" },
} as const satisfies Record<string, { from: Kind; to: Kind | "word" }>;

export type Relation = keyof typeof relations;

export interface Entity {
  readonly name: string;
  readonly kind: Kind;
  /** Objects by relation: names or words. Only a tour has more than one. */
  readonly facts: Partial<Record<Relation, readonly string[]>>;
}

/** The things of one split. */
export interface Land {
  readonly split: string;
  readonly entities: readonly Entity[];
}

const TOUR_STOPS = 3;

/** `people` says how many people each split's land has; the rest grows with them. */
export function createLands(people: Readonly<Record<string, number>>, rng: Rng): Land[] {
  const total = Object.values(people).reduce((sum, count) => sum + count, 0);
  const namer = createNamer(rng.split("names"), total);
  return Object.entries(people).map(([split, count]) => createLand(split, count, namer, rng.split(split)));
}

function createLand(split: string, people: number, namer: Namer, rng: Rng): Land {
  const some = (kind: Kind, count: number): string[] => Array.from({ length: count }, () => namer.name(kind));
  const part = Math.max(6, Math.ceil(people * 0.4));
  const persons = some("person", people);
  const towns = some("town", part);
  const societies = some("society", Math.min(part, people));
  const any = (names: readonly string[]): readonly string[] => [pick(names, rng) as string];
  const year = (from: number): readonly string[] => [String(from + rng.int(300))];
  // One ring through everyone: each person has one teacher and one pupil, and nobody teaches their own teacher.
  const ring = shuffle(persons, rng);
  const founders = shuffle(persons, rng);
  const mayors = shuffle(persons, rng);
  const entity = (kind: Kind) => (facts: Entity["facts"], name: string) => ({ kind, name, facts });
  return {
    split,
    entities: [
      ...ring.map((name, index) =>
        entity("person")(
          {
            birthplace: any(towns),
            born: year(1500),
            teacher: [ring[(index + 1) % ring.length] as string],
            society: any(societies),
            tour: shuffle(towns, rng).slice(0, TOUR_STOPS),
          },
          name,
        ),
      ),
      ...towns.map((name, index) =>
        entity("town")({ river: [namer.name("river")], mayor: [mayors[index % mayors.length] as string] }, name),
      ),
      ...societies.map((name, index) =>
        entity("society")(
          {
            founder: [founders[index] as string],
            founded: year(1200),
            seat: any(towns),
            emblem: any(researchWords().emblems),
          },
          name,
        ),
      ),
      ...some("work", people).map((name) => entity("work")({ maker: any(persons), keeper: any(societies) }, name)),
      ...some("vessel", part).map((name) => entity("vessel")({ builder: any(societies), port: any(towns) }, name)),
      ...some("honour", part).map((name) => entity("honour")({ winner: any(persons), donor: any(societies) }, name)),
    ],
  };
}
