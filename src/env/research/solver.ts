/**
 * Answers questions of the generated world from what has been read so far: either the answer, or what to look up next.
 * It knows the language of the world, nothing of its facts.
 */
import type { Relation } from "./world/graph.ts";
import { inverses, linkHint, type Formula, type Inverse, type Link } from "./world/query.ts";
import type { ReadFact } from "./world/sentences.ts";

/** A fact that is missing: which relation of which name. */
export interface Need {
  readonly name: string;
  readonly link: Link | "tour";
}

export type Finding =
  | { readonly kind: "known"; readonly value: string }
  | { readonly kind: "open"; readonly needs: readonly Need[] };

export function resolve(formula: Formula, facts: readonly ReadFact[]): Finding {
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
export function searchWords(needs: readonly Need[], withHints: boolean): string {
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
