/**
 * The language of the generated world: how facts are written down, and how they are read back.
 *
 * One table serves both. `{s}` stands for the subject, `{maker}` and its like for the object of that relation. A
 * passage takes one sentence of every group, in one of its variants, and a plain remark that says nothing.
 */
import { pick, type Rng } from "../../../base/index.ts";
import { relations, type Entity, type Relation } from "./graph.ts";
import type { Kind } from "./names.ts";

export interface Facet {
  readonly id: string;
  readonly kind: Kind;
  /** Groups of variants; every variant of a group states the same facts. */
  readonly groups: readonly (readonly string[])[];
}

export const facets: readonly Facet[] = [
  {
    id: "life",
    kind: "person",
    groups: [
      [
        "{s} was born at {birthplace} in {born}.",
        "{s} came into the world in {born}, in the town of {birthplace}.",
        "The register of {birthplace} records the birth of {s} in {born}.",
      ],
      [
        "{s} learned the craft from {teacher}.",
        "The craft was taught to {s} by {teacher}.",
        "{s} spent seven years as the pupil of {teacher}.",
      ],
    ],
  },
  {
    id: "career",
    kind: "person",
    groups: [
      [
        "{s} was admitted to the {society}.",
        "From early on {s} belonged to the {society}.",
        "Membership of the {society} gave {s} a living.",
      ],
      ["{s} lectured in {tour}.", "A lecture tour took {s} to {tour}.", "Crowds in {tour} heard the lectures of {s}."],
    ],
  },
  {
    id: "work",
    kind: "work",
    groups: [
      ["{s} was made by {maker}.", "{maker} made {s} in one winter.", "The hand of {maker} is plain in {s}."],
      ["It is kept by the {keeper}.", "Visitors find it at the {keeper}.", "The {keeper} has kept it ever since."],
    ],
  },
  {
    id: "founding",
    kind: "society",
    groups: [
      [
        "The {s} was founded by {founder} in {founded}.",
        "In {founded} {founder} called the {s} into being.",
        "{founder} founded the {s}, which first met in {founded}.",
      ],
    ],
  },
  {
    id: "house",
    kind: "society",
    groups: [
      ["The {s} has its seat in {seat}.", "Members of the {s} meet in {seat}.", "The rooms of the {s} are in {seat}."],
      ["Its emblem is a {emblem}.", "A {emblem} stands on its seal.", "Letters carry a {emblem}, its emblem."],
    ],
  },
  {
    id: "town",
    kind: "town",
    groups: [
      [
        "{s} lies on the river {river}.",
        "The river {river} runs through {s}.",
        "{s} grew up beside the river {river}.",
      ],
      ["Its mayor is {mayor}.", "The mayor, {mayor}, was chosen by lot.", "It is governed by {mayor} as mayor."],
    ],
  },
  {
    id: "vessel",
    kind: "vessel",
    groups: [
      ["The {s} was built by the {builder}.", "The {builder} built the {s} of oak."],
      ["Its home port is {port}.", "When not at sea it lies at its home port, {port}."],
    ],
  },
  {
    id: "honour",
    kind: "honour",
    groups: [
      ["{winner} was the first to win the {s}.", "The {s} first went to {winner}."],
      ["The money is given by the {donor}.", "The {donor} pays for it."],
    ],
  },
];

const REMARKS: readonly string[] = [
  "Little else is certain.",
  "Older accounts disagree about the details.",
  "The archive burned down and was rebuilt twice.",
  "A short note in the almanac says the same.",
  "Travellers speak of it to this day.",
  "No portrait has come down to us.",
  "Much of this was written down long afterwards.",
  "The winters of that time were hard.",
];

/** The text of one passage about an entity. */
export function writePassage(facet: Facet, { name, facts }: Entity, rng: Rng): string {
  const sentences = facet.groups.map((variants) =>
    (pick(variants, rng) as string).replace(/\{(\w+)\}/g, (_, slot: string) =>
      slot === "s" ? name : joinNames(facts[slot as Relation] ?? []),
    ),
  );
  sentences.splice(rng.int(sentences.length + 1), 0, pick(REMARKS, rng) as string);
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
    const groups = PATTERNS.map((pattern) => pattern.exec(sentence)?.groups).find((found) => found !== undefined);
    for (const [slot, value] of Object.entries(groups ?? {})) {
      if (isRelation(slot)) facts.push({ subject, relation: slot, objects: value.split(/, | and /) });
    }
  }
  return facts;
}

const PATTERNS: readonly RegExp[] = facets.flatMap(({ groups }) =>
  groups.flat().map((variant) => {
    const source = variant
      .replace(/[.]/g, "\\.")
      .replace("{s}", ".+?")
      .replace(/\{(\w+)\}/g, "(?<$1>.+?)");
    return new RegExp(`^${source}$`);
  }),
);

function isRelation(slot: string): slot is Relation {
  return Object.hasOwn(relations, slot);
}

function joinNames(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
