/** Invented names, each given out once. The syllables are made up; a likeness to a real name is chance. */
import { pick, type Rng } from "../../../base/index.ts";

export type Kind = "person" | "town" | "river" | "work" | "society" | "vessel" | "honour";

export interface Namer {
  /** A name no other thing of this world has. */
  name(kind: Kind): string;
}

const STARTS = "b br c d dr f fl g gl h j k l m n p pr qu r s sk sl t th tr v w y z".split(" ");
const MIDDLES = "a e i o u ae ei ia ou".split(" ");
const JOINTS = "ld lm ln nd nv r rg rr rv s sk st t v z".split(" ");
const TOWN_ENDS = "by dale ford haven mere mouth stead wick".split(" ");
const PERSON_ENDS = "an ek el en in is on or ul yn".split(" ");
const FAMILY_ENDS = "ack ander ell enko ette ier mann ovar quist wen".split(" ");
const RIVER_ENDS = "a ane e ern ish o".split(" ");
const COLOURS = "Amber Ashen Brass Copper Crimson Frosted Gilded Hollow Ivory Jade Leaden Painted Pale Silver".split(
  " ",
);
const MOODS = "Idle Lonely Patient Quiet Restless Second Seventh Silent Sleeping Wandering".split(" ");
const THINGS = "Acrobat Almanac Beacon Candle Compass Cradle Gardener".split(" ");
/** Only in titles with "of", so that no title is the beginning of another. */
const OTHER_THINGS = "Harvest Lantern Lighthouse Mirror Orchard Pilgrim Staircase".split(" ");
const SEA_WORDS = "Bold Brisk Drifting Eager Foaming Jolly Merry Nimble Northern Rolling Salt Swift".split(" ");
const SEA_BIRDS = "Auk Cormorant Fulmar Gannet Guillemot".split(" ");
const OTHER_SEA_BIRDS = "Kittiwake Petrel Plover Puffin Skua Tern".split(" ");
const SOCIETIES = "Academy Assembly Conservatory Foundry Guild League Press Society Workshop".split(" ");
const HONOURS = "Medal Prize Ribbon Wreath".split(" ");

/** Given and family names come from pools of this many, so that people share them and a search must hold both. */
const POOL_PER_PERSON = 0.35;
const SMALLEST_POOL = 12;

export function createNamer(rng: Rng, people: number): Namer {
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
      const joint = rng.float() < 0.5 ? any(JOINTS, rng) + any(MIDDLES, rng) : "";
      const text = any(STARTS, rng) + any(MIDDLES, rng) + joint + any(JOINTS, rng) + any(ends, rng);
      return text.charAt(0).toUpperCase() + text.slice(1);
    });
  const title = (adjectives: readonly string[], bare: readonly string[], long: readonly string[]): string =>
    rng.float() < 0.5
      ? `${any(adjectives, rng)} ${any(bare, rng)}`
      : `${any(adjectives, rng)} ${any(long, rng)} of ${word(RIVER_ENDS)}`;
  const poolSize = Math.max(SMALLEST_POOL, Math.ceil(people * POOL_PER_PERSON));
  const given = Array.from({ length: poolSize }, () => word(PERSON_ENDS));
  const families = Array.from({ length: poolSize }, () => word(FAMILY_ENDS));
  const makers: Record<Kind, () => string> = {
    person: () => fresh(() => `${any(given, rng)} ${any(families, rng)}`),
    town: () => word(TOWN_ENDS),
    river: () => word(RIVER_ENDS),
    work: () => fresh(() => title([...COLOURS, ...MOODS], THINGS, OTHER_THINGS)),
    society: () => `${word(TOWN_ENDS)} ${any(SOCIETIES, rng)}`,
    vessel: () => fresh(() => title(SEA_WORDS, SEA_BIRDS, OTHER_SEA_BIRDS)),
    honour: () => `${word(FAMILY_ENDS)} ${any(HONOURS, rng)}`,
  };
  return { name: (kind) => makers[kind]() };
}

function any<T>(items: readonly T[], rng: Rng): T {
  return pick(items, rng) as T;
}
