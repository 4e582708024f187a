/**
 * The language of the generated world: how facts are written down, and how they are read back.
 *
 * One table serves both. `{s}` stands for the subject, `{maker}` and its like for the object of that relation. A
 * passage takes one sentence of every group, in one of its variants, and a plain remark that says nothing.
 */
import { pick, type Rng } from "limbeck-base/base/rng";
import { relations, type Entity, type Relation } from "./graph.ts";
import { researchWords, type Facet } from "./words.ts";

/** The text of one passage about an entity. */
export function writePassage(facet: Facet, { name, facts }: Entity, rng: Rng): string {
  const sentences = facet.groups.map((variants) =>
    (pick(variants, rng) as string).replace(/\{(\w+)\}/g, (_, slot: string) =>
      slot === "s" ? name : joinNames(facts[slot as Relation] ?? []),
    ),
  );
  sentences.splice(rng.int(sentences.length + 1), 0, pick(researchWords().remarks, rng) as string);
  return sentences.join(" ");
}

/** A fact as a reader takes it from a passage. */
export interface ReadFact {
  readonly subject: string;
  readonly relation: Relation;
  readonly objects: readonly string[];
}

/** The facts stated in a passage (title in quotes, line break, text); text of another origin gives none. */
export function readPassage(contents: string): ReadFact[] {
  const [, subject, text] = /^"([^"\n]+)"\n([^]*)$/.exec(contents) ?? [];
  if (subject === undefined || text === undefined) return [];
  const facts: ReadFact[] = [];
  for (const sentence of text.split(/(?<=\.) /)) {
    const groups = patterns()
      .map((pattern) => pattern.exec(sentence)?.groups)
      .find((found) => found !== undefined);
    for (const [slot, value] of Object.entries(groups ?? {})) {
      if (isRelation(slot)) facts.push({ subject, relation: slot, objects: value.split(/, | and /) });
    }
  }
  return facts;
}

let known: readonly RegExp[] | undefined;

/** One pattern for each variant of each sentence. */
function patterns(): readonly RegExp[] {
  known ??= researchWords().facets.flatMap(({ groups }) =>
    groups.flat().map((variant) => {
      const source = variant
        .replace(/[.]/g, "\\.")
        .replace("{s}", ".+?")
        .replace(/\{(\w+)\}/g, "(?<$1>.+?)");
      return new RegExp(`^${source}$`);
    }),
  );
  return known;
}

function isRelation(slot: string): slot is Relation {
  return Object.hasOwn(relations, slot);
}

function joinNames(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
