/** Invented names, each given out once. The syllables are made up; a likeness to a real name is chance. */
import { pick, type Rng } from "../../../base/index.ts";
import { researchWords, type Kind } from "./words.ts";

export interface Namer {
  /** A name no other thing of this world has. */
  name(kind: Kind): string;
}

/** Given and family names come from pools of this many, so that people share them and a search must hold both. */
const POOL_PER_PERSON = 0.35;
const SMALLEST_POOL = 12;

export function createNamer(rng: Rng, people: number): Namer {
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
