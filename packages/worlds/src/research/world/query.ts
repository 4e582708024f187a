/**
 * Questions as formulas, and their English.
 *
 * A formula is a name, a relation of a formula, the one town that two people both lectured in, or the elder of two
 * people. Each relation has fixed phrases, so a reader can take a question apart again without seeing the graph.
 */
import { pick, type Rng } from "limbeck-base/base/rng";
import type { Question } from "../load.ts";
import { relations, type Relation, type Entity, type Land } from "./graph.ts";
import { researchWords, type Kind } from "./words.ts";

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

const links = Object.keys(PHRASES) as readonly Link[];

/** From which kind of thing to which a hop leads. */
function linkEnds(link: Link): { readonly from: Kind; readonly to: Kind | "word" } {
  return link in inverses ? inverses[link as Inverse] : relations[link as Relation];
}

export function linkHint(link: Link): string {
  return PHRASES[link].hint;
}

function askQuestion(formula: Formula, rng: Rng): string {
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

/*
 * Draws questions from the graph and keeps those that are fair:
 * the answer is the only one; as many passages must be joined as the question has hops; for two hops and more no
 * passage holds both a name from the question and the answer, for one hop exactly one does; and `solves` says yes.
 */

interface QuestionPlan {
  readonly land: Land;
  readonly hops: number;
  readonly count: number;
  /** The last word on a question, after all else was found fair. */
  readonly solves: (question: string, answer: string) => boolean;
}

/** Draws before giving up on a land that is too small for so many different questions. */
const DRAWS_PER_QUESTION = 60;

export function passageId(name: string, facet: string): string {
  return `${name}/${facet}`;
}

export function drawQuestions({ land, hops, count, solves }: QuestionPlan, rng: Rng): Question[] {
  const index = indexLand(land);
  const keys = new Set<string>();
  const questions: Question[] = [];
  for (let draw = 0; draw < count * DRAWS_PER_QUESTION && questions.length < count; draw += 1) {
    const formula = hops === 4 ? drawPair(index, rng) : drawChain(index, hops, rng);
    if (formula === undefined) continue;
    const key = formulaKey(formula);
    if (keys.has(key)) continue;
    keys.add(key);
    const found = evaluate(formula, index);
    const answer = found?.value;
    if (found === undefined || answer === undefined || found.evidence.size !== hops) continue;
    if (!isFair(anchorsOf(formula), answer, hops, index)) continue;
    const question = askQuestion(formula, rng);
    if (!solves(question, answer)) continue;
    questions.push({ id: key, question, answers: [answer], support: [...found.evidence], hops });
  }
  return questions;
}

interface LandIndex {
  readonly entities: readonly Entity[];
  readonly byName: ReadonlyMap<string, Entity>;
  readonly byKind: ReadonlyMap<Kind | "word", readonly Entity[]>;
  /** For relations read backwards: the subjects of an object. */
  readonly subjects: ReadonlyMap<string, readonly Entity[]>;
  /** Names and words by the passages that hold them. */
  readonly mentions: ReadonlyMap<string, ReadonlySet<string>>;
}

function indexLand({ entities }: Land): LandIndex {
  const byName = new Map(entities.map((entity) => [entity.name, entity]));
  const subjects = new Map<string, Entity[]>();
  const mentions = new Map<string, Set<string>>();
  const byKind = new Map<Kind | "word", Entity[]>();
  const add = <K, T>(map: Map<K, T>, key: K, empty: T): T => {
    const held = map.get(key) ?? empty;
    map.set(key, held);
    return held;
  };
  for (const entity of entities) {
    add(byKind, entity.kind, []).push(entity);
    for (const [relation, objects] of Object.entries(entity.facts) as [Relation, readonly string[]][]) {
      const id = statedIn(entity, relation);
      for (const object of objects) {
        add(subjects, `${relation}:${object}`, []).push(entity);
        add(mentions, object, new Set<string>()).add(id);
        add(mentions, entity.name, new Set<string>()).add(id);
      }
    }
  }
  return { entities, byName, byKind, subjects, mentions };
}

/** The passage that states a relation; a relation belongs to one kind of thing, so its name is enough to find the facet. */
function statedIn(entity: Entity, relation: Relation): string {
  const facet = researchWords().facets.find(({ groups }) => groups.some(([first]) => first?.includes(`{${relation}}`)));
  return passageId(entity.name, facet?.id ?? "");
}

function drawChain(index: LandIndex, hops: number, rng: Rng): Formula | undefined {
  const start = pick(index.entities, rng);
  if (start === undefined) return undefined;
  let formula: Formula = { kind: "name", name: start.name };
  let kind: Entity["kind"] | "word" = start.kind;
  for (let hop = 0; hop < hops; hop += 1) {
    const link = pick(
      links.filter((candidate) => linkEnds(candidate).from === kind),
      rng,
    );
    if (link === undefined) return undefined;
    formula = { kind: "hop", link, of: formula };
    kind = linkEnds(link).to;
  }
  return formula;
}

/** How a question reaches a person from a thing. */
const TO_PERSON: readonly Link[] = ["maker", "founder", "mayor", "winner"];
const OF_ELDER: readonly Link[] = ["birthplace", "teacher"];

function drawPair(index: LandIndex, rng: Rng): Formula | undefined {
  const side = (): Formula | undefined => {
    const link = pick(TO_PERSON, rng) as Link;
    const thing = pick(index.byKind.get(linkEnds(link).from) ?? [], rng);
    return thing === undefined ? undefined : { kind: "hop", link, of: { kind: "name", name: thing.name } };
  };
  const [left, right] = [side(), side()];
  if (left === undefined || right === undefined) return undefined;
  if (rng.float() < 0.5) return { kind: "common-stop", left, right };
  return { kind: "hop", link: pick(OF_ELDER, rng) as Link, of: { kind: "elder", left, right } };
}

interface Found {
  readonly value: string;
  /** The passages that must be read. */
  readonly evidence: ReadonlySet<string>;
}

/** The value of a formula when every part of it has exactly one, else undefined. */
function evaluate(formula: Formula, index: LandIndex): Found | undefined {
  if (formula.kind === "name") return { value: formula.name, evidence: new Set() };
  if (formula.kind === "hop") {
    const of = evaluate(formula.of, index);
    return of === undefined ? undefined : follow(of, formula.link, index);
  }
  const left = evaluate(formula.left, index);
  const right = evaluate(formula.right, index);
  if (left === undefined || right === undefined || left.value === right.value) return undefined;
  const relation = formula.kind === "elder" ? "born" : "tour";
  const [one, other] = [left, right].map(({ value }) => index.byName.get(value));
  const [first, second] = [one?.facts[relation], other?.facts[relation]];
  if (one === undefined || other === undefined || first === undefined || second === undefined) return undefined;
  const read = [one, other].map((entity) => statedIn(entity, relation));
  const evidence = new Set([...left.evidence, ...right.evidence, ...read]);
  if (formula.kind === "common-stop") {
    const shared = first.filter((town) => second.includes(town));
    return shared.length === 1 && shared[0] !== undefined ? { value: shared[0], evidence } : undefined;
  }
  if (first[0] === second[0]) return undefined;
  return { value: Number(first[0]) < Number(second[0]) ? left.value : right.value, evidence };
}

function follow({ value, evidence }: Found, link: Link, index: LandIndex): Found | undefined {
  const relation = link in inverses ? inverses[link as Inverse].of : (link as Relation);
  const subjects = link in inverses ? index.subjects.get(`${relation}:${value}`) : [index.byName.get(value)];
  const subject = subjects?.[0];
  if (subjects?.length !== 1 || subject === undefined) return undefined;
  const objects = subject.facts[relation];
  const next = link in inverses ? subject.name : objects?.[0];
  if (next === undefined || objects?.length !== 1) return undefined;
  return { value: next, evidence: new Set([...evidence, statedIn(subject, relation)]) };
}

function isFair(anchors: readonly string[], answer: string, hops: number, index: LandIndex): boolean {
  if (anchors.includes(answer)) return false;
  const holders = index.mentions.get(answer) ?? new Set<string>();
  const both = anchors.flatMap((anchor) => [...(index.mentions.get(anchor) ?? [])].filter((id) => holders.has(id)));
  return hops === 1 ? both.length === 1 : both.length === 0;
}

/** The names a question mentions. */
function anchorsOf(formula: Formula): string[] {
  if (formula.kind === "name") return [formula.name];
  if (formula.kind === "hop") return anchorsOf(formula.of);
  return [...anchorsOf(formula.left), ...anchorsOf(formula.right)];
}

/** Equal for questions that ask the same, in whatever words and order of sides. */
function formulaKey(formula: Formula): string {
  if (formula.kind === "name") return formula.name;
  if (formula.kind === "hop") return `${formula.link}(${formulaKey(formula.of)})`;
  return `${formula.kind}(${[formulaKey(formula.left), formulaKey(formula.right)].sort().join("; ")})`;
}
