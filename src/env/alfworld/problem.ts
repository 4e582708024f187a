/** One situation of a game: its things, what is true at the start, and the goal. */
import { parseCondition, type Alternative, type Variable } from "./condition.ts";
import type { Domain } from "./domain.ts";
import { asList, badText, head, parseSexpr, typedNames, unknownConstruct, type SexprList } from "./sexpr.ts";

export interface Fact {
  readonly predicate: string;
  readonly names: readonly string[];
}

export interface Problem {
  readonly name: string;
  readonly objects: readonly Variable[];
  readonly init: readonly Fact[];
  readonly goal: readonly Alternative[];
}

const SOURCE = "pddl_problem";
const SECTIONS = [":domain", ":requirements", ":objects", ":init", ":goal", ":metric"];

export function parseProblem(text: string, domain: Domain): Problem {
  const root = parseSexpr(text, SOURCE);
  const title = asList(root.items[1], SOURCE, root.line, "the second part");
  if (head(root) !== "define" || head(title) !== "problem") {
    throw badText(SOURCE, root.line, 'the text does not begin with "(define (problem …)"');
  }
  const sections = new Map<string, SexprList>();
  for (const item of root.items.slice(2)) {
    const section = asList(item, SOURCE, root.line, "a section");
    if (!SECTIONS.includes(head(section))) throw unknownConstruct(SOURCE, section.line, head(section), SECTIONS);
    sections.set(head(section), section);
  }
  const needed = (name: string): SexprList => {
    const section = sections.get(name);
    if (section === undefined) throw badText(SOURCE, root.line, `the section "${name}" is missing`);
    return section;
  };
  const goal = needed(":goal");
  const objects = needed(":objects");
  const context = { source: SOURCE, predicates: domain.predicates, types: new Set(domain.types.keys()) };
  return {
    name: typeof title.items[1] === "string" ? title.items[1] : "",
    objects: typedNames(objects.items.slice(1), SOURCE, objects.line),
    init: parseInit(needed(":init"), domain),
    goal: parseCondition(goal.items[1], [], context, goal.line),
  };
}

function parseInit(section: SexprList, domain: Domain): Fact[] {
  const facts: Fact[] = [];
  for (let index = 1; index < section.items.length; index += 1) {
    const item = asList(section.items[index], SOURCE, section.line, "a fact");
    const predicate = head(item);
    // `(= (distance a b) 3)` and the like set costs, which nothing an agent sees depends on.
    if (predicate === "=") continue;
    const arity = domain.predicates.get(predicate)?.length;
    if (arity === undefined) throw unknownConstruct(SOURCE, item.line, predicate, ["the declared predicates"]);
    const names = item.items.slice(1);
    if (names.length !== arity || !names.every((name) => typeof name === "string")) {
      throw badText(SOURCE, item.line, `the fact "${predicate}" takes ${arity} names, not ${names.length}`);
    }
    facts.push({ predicate, names });
  }
  return facts;
}
