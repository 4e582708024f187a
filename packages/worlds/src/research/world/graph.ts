/**
 * A typed graph of invented facts. Every fact is written in the passage of its subject only, so what an agent must
 * join is known exactly.
 *
 * The graph falls into lands that share no entity: one for each split. Questions of different splits are therefore
 * about different things, although all passages stand in one corpus.
 */
import { pick, shuffle, type Rng } from "limbeck-base/base/rng";
import { researchWords, type Kind } from "./words.ts";

/** A relation, and what kind of thing its fact names; "word" is a plain word or a year. */
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
  // One ring through everyone: each person has one teacher and one pupil, and no person teaches their own teacher.
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

// Invented names, each given out once. The syllables are made up; a likeness to a real name is chance.

interface Namer {
  /** A name no other thing of this world has. */
  name(kind: Kind): string;
}

/** Given and family names come from pools of this many, so that people share them and a search must hold both. */
const POOL_PER_PERSON = 0.35;
const SMALLEST_POOL = 12;

function createNamer(rng: Rng, people: number): Namer {
  const parts = researchWords().names;
  const taken = new Set<string>();
  const fresh = (make: () => string): string => {
    for (;;) {
      const name = make();
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  };
  // An invented word is used once: "Marrwick" inside "Marrwick Guild" would make two things look like one.
  const word = (ends: readonly string[]): string =>
    fresh(() => {
      const joint = rng.float() < 0.5 ? any(parts.joints, rng) + any(parts.middles, rng) : "";
      const text = any(parts.starts, rng) + any(parts.middles, rng) + joint + any(parts.joints, rng) + any(ends, rng);
      return text.charAt(0).toUpperCase() + text.slice(1);
    });
  const title = (adjectives: readonly string[], bare: readonly string[], long: readonly string[]): string =>
    rng.float() < 0.5
      ? `${any(adjectives, rng)} ${any(bare, rng)}`
      : `${any(adjectives, rng)} ${any(long, rng)} of ${word(parts.riverEnds)}`;
  const poolSize = Math.max(SMALLEST_POOL, Math.ceil(people * POOL_PER_PERSON));
  const given = Array.from({ length: poolSize }, () => word(parts.personEnds));
  const families = Array.from({ length: poolSize }, () => word(parts.familyEnds));
  const makers: Record<Kind, () => string> = {
    person: () => fresh(() => `${any(given, rng)} ${any(families, rng)}`),
    town: () => word(parts.townEnds),
    river: () => word(parts.riverEnds),
    work: () => fresh(() => title([...parts.colours, ...parts.moods], parts.things, parts.otherThings)),
    society: () => `${word(parts.townEnds)} ${any(parts.societies, rng)}`,
    vessel: () => fresh(() => title(parts.seaWords, parts.seaBirds, parts.otherSeaBirds)),
    honour: () => `${word(parts.familyEnds)} ${any(parts.honours, rng)}`,
  };
  return { name: (kind) => makers[kind]() };
}

function any<T>(items: readonly T[], rng: Rng): T {
  return pick(items, rng) as T;
}
