/**
 * A library to find something in: shelves of a region, books of a town, pages of a few offices. Every place has a
 * caption, and captions leave things out, so that who follows them must sometimes turn back.
 */
import { pick, shuffle, type Rng } from "limbeck-base/base/rng";

export interface LibraryNode {
  /** What stands on its spine; all that is seen of it from above. */
  readonly caption: string;
  /** What a page says; inner places say nothing. */
  readonly text: string;
  /** People named on a page. */
  readonly names: readonly string[];
  readonly children: readonly LibraryNode[];
}

export interface Library {
  readonly question: string;
  readonly answer: string;
  readonly root: LibraryNode;
}

export interface LibraryDial {
  /** Shelves of the library, books of a shelf, pages of a book. */
  readonly width: number;
  /** Chance that a caption leaves out one of the things below it. */
  readonly vague: number;
}

export const sizes = {
  tiny: { width: 2, vague: 0.2 },
  small: { width: 3, vague: 0.3 },
  large: { width: 5, vague: 0.4 },
} as const satisfies Record<string, LibraryDial>;

export type LibrarySize = keyof typeof sizes;

const SYLLABLES = "bor dal en fos gar hol is kar lun mer nor os per quin ral sten tor ul ven wick".split(" ");
const OFFICES =
  "harbour master, town clerk, bell founder, ferry keeper, mint warden, school head, bridge reeve, well digger, night watch, salt steward, map drawer, road surveyor, grain factor, tide reader, gate porter".split(
    ", ",
  );

interface Fact {
  readonly office: string;
  readonly town: string;
  readonly name: string;
}

export function drawLibrary({ width, vague }: LibraryDial, rng: Rng): Library {
  const word = namer(rng.split("names"));
  const facts: Fact[] = [];
  const shelves = Array.from({ length: width }, () => {
    const towns = Array.from({ length: width }, word);
    const books = towns.map((town) => {
      const offices = shuffle(OFFICES, rng).slice(0, width * 3);
      const pages = Array.from({ length: width }, (_, page) => {
        const held = offices
          .slice(page * 3, page * 3 + 3)
          .map((office) => ({ office, town, name: `${word()} ${word()}` }));
        facts.push(...held);
        return pageOf(held, vague, rng);
      });
      return inner(`records of ${town}`, pages);
    });
    return inner(`the land of ${word()}: ${listed(towns, vague, rng)}`, books);
  });
  const { office, town, name } = pick(facts, rng) as Fact;
  return { question: `Who was the ${office} of ${town}?`, answer: name, root: inner("the library", shelves) };
}

function pageOf(facts: readonly Fact[], vague: number, rng: Rng): LibraryNode {
  const offices = facts.map(({ office }) => office);
  return {
    caption: `a page on the ${listed(offices, vague, rng)}`,
    text: facts.map(({ office, town, name }) => `The ${office} of ${town} was ${name}.`).join(" "),
    names: facts.map(({ name }) => name),
    children: [],
  };
}

function inner(caption: string, children: readonly LibraryNode[]): LibraryNode {
  return { caption, text: "", names: [], children };
}

/** Some of the things, at least one; "and others" where something is left out. */
function listed(things: readonly string[], vague: number, rng: Rng): string {
  const kept = things.filter(() => rng.float() >= vague);
  const shown = kept.length === 0 ? things.slice(0, 1) : kept;
  return `${shown.join(", ")}${shown.length < things.length ? " and others" : ""}`;
}

/** Invented words, each given once. */
function namer(rng: Rng): () => string {
  const used = new Set<string>();
  return () => {
    for (;;) {
      const syllables = Array.from({ length: 2 + rng.int(2) }, () => pick(SYLLABLES, rng) ?? "");
      const word = syllables.join("");
      if (used.has(word)) continue;
      used.add(word);
      return word.charAt(0).toUpperCase() + word.slice(1);
    }
  };
}
