/** Scripted agents for the generated world. They see the question and the passages that their searches brought. */
import type { Demonstration, Demonstrator } from "limbeck-core/env/expert";
import { parseQuestion, inverses, linkHint, type Formula, type Inverse, type Link } from "./world/query.ts";
import { readPassage, type ReadFact } from "./world/sentences.ts";
import type { Relation } from "./world/graph.ts";

interface Habits {
  /** Searches it is willing to make before it answers with what it has. */
  readonly maxSearches: number;
  /** Looks for what is missing, or only ever for the question as it stands. */
  readonly looksFor: "missing" | "question";
}

/** The preset leaves four turns, and the last must be the answer. */
const MOST_SEARCHES = 3;

export const expert = demonstrator(
  "expert",
  "Takes the question apart, looks up one missing fact after the other, two at once where the question has two strands.",
  { maxSearches: MOST_SEARCHES, looksFor: "missing" },
);

export const impatient = demonstrator(
  "impatient",
  "Searches as the expert does, but at most twice, and then answers with the last thing it found on the way.",
  { maxSearches: 2, looksFor: "missing" },
);

export const literal = demonstrator(
  "literal",
  "Searches for the question as it stands, again and again, and never for a name it has read.",
  { maxSearches: MOST_SEARCHES, looksFor: "question" },
);

function demonstrator(id: string, summary: string, habits: Habits): Demonstrator {
  return { id, summary, start: (task) => demonstrate(task.goal, habits) };
}

/**
 * One run of habits over a question, without a task around it.
 *
 * @example
 * const question = "Find out the name of the society that keeps Hollow Harvest of Douska.";
 * console.log(demonstrate(question).next({ action: undefined, observation: question })); // <search>Hollow Harvest of Douska kept</search>
 */
export function demonstrate(
  question: string,
  habits: Habits = { maxSearches: MOST_SEARCHES, looksFor: "missing" },
): Demonstration {
  const formula = parseQuestion(question);
  const facts: ReadFact[] = [];
  const asked = new Set<string>();
  let searches = 0;
  return {
    next: ({ observation, action }) => {
      facts.push(...readInformation(observation));
      if (action !== undefined) searches += 1;
      const query = nextQuery(question, formula, facts, habits, asked);
      if (query === undefined || searches >= habits.maxSearches) {
        return `<answer>${bestGuess(formula, facts)}</answer>`;
      }
      asked.add(query);
      return `<search>${query}</search>`;
    },
  };
}

/** Undefined when the answer is known, or when every way to look for it has been tried. */
function nextQuery(
  question: string,
  formula: Formula | undefined,
  facts: readonly ReadFact[],
  habits: Habits,
  asked: ReadonlySet<string>,
): string | undefined {
  const finding = formula === undefined ? undefined : resolve(formula, facts);
  if (finding?.kind === "known") return undefined;
  if (habits.looksFor === "question") return question;
  const needs = finding?.needs ?? [];
  const ways = [searchWords(needs, true), searchWords(needs, false), searchWords(needs.slice(0, 1), true), question];
  return ways.find((query) => query !== "" && !asked.has(query));
}

/** The innermost result that is known: the answer itself, or as far as the search has come. */
function bestGuess(formula: Formula | undefined, facts: readonly ReadFact[]): string {
  if (formula === undefined) return facts[0]?.subject ?? "unknown";
  const finding = resolve(formula, facts);
  if (finding.kind === "known") return finding.value;
  if (formula.kind === "hop") return bestGuess(formula.of, facts);
  return formula.kind === "name" ? formula.name : bestGuess(formula.left, facts);
}

/**
 * The facts in the information blocks of a text; a history before the newest one does no harm.
 *
 * @example
 * const result = 'Doc 1: "Hollow Harvest"\nIt is kept by the Trorgosford Academy.';
 * console.log(readInformation(`<information>${JSON.stringify({ result })}</information>`)); // [ { subject: "Hollow Harvest", relation: "keeper", objects: [ "Trorgosford Academy" ] } ]
 */
export function readInformation(observation: string): ReadFact[] {
  return [...observation.matchAll(/<information>([^]*?)<\/information>/g)].flatMap(([, json = ""]) => {
    const docs = resultOf(json).split(/^Doc \d+: /m);
    return docs.flatMap((contents) => readPassage(contents.trim()));
  });
}

function resultOf(json: string): string {
  try {
    const { result } = JSON.parse(json) as { readonly result?: unknown };
    return typeof result === "string" ? result : "";
  } catch {
    // Not written by this environment, so there is nothing in it to learn from.
    return "";
  }
}

/*
 * Answers questions of the generated world from what has been read so far: either the answer, or what to look up next.
 * It knows the language of the world, nothing of its facts.
 */

/** A fact that is missing: which relation of which name. */
interface Need {
  readonly name: string;
  readonly link: Link | "tour";
}

type Finding =
  | { readonly kind: "known"; readonly value: string }
  | { readonly kind: "open"; readonly needs: readonly Need[] };

function resolve(formula: Formula, facts: readonly ReadFact[]): Finding {
  if (formula.kind === "name") return known(formula.name);
  if (formula.kind === "hop") {
    const of = resolve(formula.of, facts);
    return of.kind === "open" ? of : follow(of.value, formula.link, facts);
  }
  const sides = [resolve(formula.left, facts), resolve(formula.right, facts)] as const;
  const [left, right] = sides;
  if (left.kind === "open" || right.kind === "open") return open(sides.flatMap(needsOf));
  const relation = formula.kind === "elder" ? "born" : "tour";
  const people = [left.value, right.value];
  const found = people.map((name) => objectsOf(name, relation, facts));
  const [first, second] = found;
  if (first === undefined || second === undefined) {
    return open(people.filter((_, index) => found[index] === undefined).map((name) => ({ name, link: relation })));
  }
  if (formula.kind === "elder") return known(Number(first[0]) < Number(second[0]) ? left.value : right.value);
  const shared = first.filter((town) => second.includes(town));
  return shared[0] === undefined ? open([]) : known(shared[0]);
}

/** Search words for what is missing: the names, and words that stand near such a fact. */
function searchWords(needs: readonly Need[], withHints: boolean): string {
  const hint = (link: Need["link"]): string => (link === "tour" ? "lectured lecture" : linkHint(link));
  const hints = withHints ? [...new Set(needs.flatMap((need) => hint(need.link).split(" ")))] : [];
  return [...needs.map((need) => need.name), ...hints].join(" ");
}

function follow(name: string, link: Link, facts: readonly ReadFact[]): Finding {
  const value =
    link in inverses
      ? facts.find(({ relation, objects }) => relation === inverses[link as Inverse].of && objects.includes(name))
          ?.subject
      : objectsOf(name, link as Relation, facts)?.[0];
  return value === undefined ? open([{ name, link }]) : known(value);
}

function objectsOf(name: string, relation: Relation, facts: readonly ReadFact[]): readonly string[] | undefined {
  return facts.find((fact) => fact.subject === name && fact.relation === relation)?.objects;
}

function needsOf(finding: Finding): readonly Need[] {
  return finding.kind === "open" ? finding.needs : [];
}

function known(value: string): Finding {
  return { kind: "known", value };
}

function open(needs: readonly Need[]): Finding {
  return { kind: "open", needs };
}
