/**
 * Questions as formulas, and their English.
 *
 * A formula is a name, a relation of a formula, the one town that two people both lectured in, or the elder of two
 * people. Each relation has fixed phrases, so a reader can take a question apart again without seeing the graph.
 */
import { pick, type Rng } from "../../../base/index.ts";
import { relations, type Relation } from "./graph.ts";
import type { Kind } from "./words.ts";

/** Relations read backwards: the fact stands in the passage of the thing asked for. */
export const inverses = {
  pupil: { of: "teacher", from: "person", to: "person" },
  foundation: { of: "founder", from: "person", to: "society" },
} as const satisfies Record<string, { of: Relation; from: Kind; to: Kind }>;

export type Inverse = keyof typeof inverses;
/** What one hop can follow. A tour is no hop: it leads to several towns. */
export type Link = Exclude<Relation, "tour"> | Inverse;

export type Formula =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "hop"; readonly link: Link; readonly of: Formula }
  | { readonly kind: "common-stop"; readonly left: Formula; readonly right: Formula }
  | { readonly kind: "elder"; readonly left: Formula; readonly right: Formula };

/** Phrases for "the … of x", and words that help a search to find the passage that says it. */
const PHRASES: Readonly<Record<Link, { readonly forms: readonly string[]; readonly hint: string }>> = {
  birthplace: { forms: ["the birthplace of {x}", "the town in which {x} was born"], hint: "born birth" },
  born: { forms: ["the year of birth of {x}", "the year in which {x} was born"], hint: "born birth" },
  teacher: { forms: ["the teacher of {x}", "the person who taught {x}"], hint: "craft taught learned pupil" },
  pupil: { forms: ["the pupil of {x}", "the person taught by {x}"], hint: "craft taught learned pupil" },
  society: { forms: ["the society to which {x} belongs", "the society that admitted {x}"], hint: "admitted belonged" },
  maker: { forms: ["the maker of {x}", "the person who made {x}"], hint: "made" },
  keeper: { forms: ["the keeper of {x}", "the society that keeps {x}"], hint: "kept" },
  founder: { forms: ["the founder of {x}", "the person who founded {x}"], hint: "founded" },
  foundation: { forms: ["the society founded by {x}", "the society that {x} founded"], hint: "founded" },
  founded: { forms: ["the founding year of {x}", "the year in which {x} was founded"], hint: "founded" },
  seat: { forms: ["the seat of {x}", "the town in which {x} has its rooms"], hint: "seat rooms meet" },
  emblem: { forms: ["the emblem of {x}", "the animal on the seal of {x}"], hint: "emblem seal" },
  river: { forms: ["the river at {x}", "the river that runs through {x}"], hint: "river lies" },
  mayor: { forms: ["the mayor of {x}", "the person who governs {x} as mayor"], hint: "mayor" },
  builder: { forms: ["the builder of {x}", "the society that built {x}"], hint: "built" },
  port: { forms: ["the home port of {x}", "the port in which {x} is at home"], hint: "home port" },
  winner: { forms: ["the first winner of {x}", "the person who first won {x}"], hint: "first win" },
  donor: { forms: ["the donor of {x}", "the society that pays for {x}"], hint: "money pays" },
};

const PAIRS = {
  "common-stop": "the one town in which both {l} and {r} lectured",
  elder: "the elder of {l} and {r}",
} as const;

const FRAMES: readonly string[] = ["What is {np}?", "Find out the name of {np}.", "Which name belongs to {np}?"];
const PERSON_FRAMES: readonly string[] = ["Who is {np}?", ...FRAMES.slice(1)];
const WORD_FRAMES: readonly string[] = ["What is {np}?", "Find out what {np} is."];

export const links = Object.keys(PHRASES) as readonly Link[];

/** From which kind of thing to which a hop leads. */
export function linkEnds(link: Link): { readonly from: Kind; readonly to: Kind | "word" } {
  return link in inverses ? inverses[link as Inverse] : relations[link as Relation];
}

export function linkHint(link: Link): string {
  return PHRASES[link].hint;
}

export function askQuestion(formula: Formula, rng: Rng): string {
  const to = formula.kind === "hop" ? linkEnds(formula.link).to : "town";
  const frames = to === "person" ? PERSON_FRAMES : to === "word" ? WORD_FRAMES : FRAMES;
  return (pick(frames, rng) as string).replace("{np}", () => phrase(formula, rng));
}

function phrase(formula: Formula, rng: Rng): string {
  if (formula.kind === "name") return formula.name;
  if (formula.kind === "hop") {
    return (pick(PHRASES[formula.link].forms, rng) as string).replace("{x}", () => phrase(formula.of, rng));
  }
  return PAIRS[formula.kind]
    .replace("{l}", () => phrase(formula.left, rng))
    .replace("{r}", () => phrase(formula.right, rng));
}

/** Takes a question apart; undefined when it is not in this language. */
export function parseQuestion(question: string): Formula | undefined {
  for (const frame of [...PERSON_FRAMES, ...FRAMES, ...WORD_FRAMES]) {
    const inner = between(question, frame, "{np}");
    const formula = inner === undefined ? undefined : parsePhrase(inner);
    if (formula !== undefined && formula.kind !== "name") return formula;
  }
  return undefined;
}

/** Questions of this language nest a handful of phrases; deeper ones are not looked into. */
const MAX_DEPTH = 8;

function parsePhrase(text: string, depth = 0): Formula | undefined {
  if (depth > MAX_DEPTH) return undefined;
  // Names begin with a capital, phrases with "the".
  if (!text.startsWith("the ")) return /^\p{Lu}(?!.* and )/u.test(text) ? { kind: "name", name: text } : undefined;
  for (const link of links) {
    for (const form of PHRASES[link].forms) {
      const inner = between(text, form, "{x}");
      const of = inner === undefined ? undefined : parsePhrase(inner, depth + 1);
      if (of !== undefined) return { kind: "hop", link, of };
    }
  }
  for (const kind of ["common-stop", "elder"] as const) {
    const both = between(text, PAIRS[kind], "{l} and {r}")?.split(" and ") ?? [];
    const [left, right] = both.length === 2 ? both.map((side) => parsePhrase(side, depth + 1)) : [];
    if (left !== undefined && right !== undefined) return { kind, left, right };
  }
  return undefined;
}

function between(text: string, form: string, slot: string): string | undefined {
  const [before = "", after = ""] = form.split(slot);
  const fits = text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after);
  return fits ? text.slice(before.length, text.length - after.length) : undefined;
}
