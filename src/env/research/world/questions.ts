/**
 * Draws questions from the graph and keeps those that are fair:
 * the answer is the only one; as many passages must be joined as the question has hops; for two hops and more no
 * passage holds both a name from the question and the answer, for one hop exactly one does; and `solves` says yes.
 */
import { pick, type Rng } from "../../../base/index.ts";
import type { Question } from "../load.ts";
import type { Entity, Land, Relation } from "./graph.ts";
import { askQuestion, inverses, linkEnds, links, type Formula, type Inverse, type Link } from "./query.ts";
import { researchWords, type Kind } from "./words.ts";

export interface QuestionPlan {
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
