/**
 * The things of a game as whole numbers, in the order of their ids, with the names a player sees.
 *
 * The original names a thing by what stands before the first `_bar_` of its id, with "basin" added where the id has
 * that word, and a number. Things of one name are numbered backwards: the first id in order has the highest number.
 */
import { EngineError } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { usedConstants, parseCondition, type Alternative, type Variable } from "./condition.ts";
import type { Domain } from "./domain.ts";
import { asList, badText, head, parseSexpr, typedNames, unknownConstruct, type SexprList } from "./sexpr.ts";

export interface Members {
  readonly list: Int32Array;
  /** Position in the list, or -1, for every entity. */
  readonly position: Int32Array;
}

export interface Entities {
  readonly count: number;
  readonly ids: readonly string[];
  readonly names: readonly string[];
  /** The entity of an id; -1 for a declared thing about which nothing is ever true. */
  find(id: string): number;
  /** The entities of a type or of one derived from it. */
  members(type: string): Members;
}

export function createEntities(domain: Domain, problem: Problem): Entities {
  const declared = declaredTypes(domain, problem);
  const ids = sortedIds(problem);
  checkDeclared([...ids, ...domain.usedConstants, ...usedConstants(problem.goal)], declared);
  const byType = groupedBy(ids.keys(), (index) => declared.get(ids[index] as string) ?? "");
  return tableOf(domain, ids, byType);
}

function declaredTypes(domain: Domain, problem: Problem): ReadonlyMap<string, string> {
  return new Map([...domain.constants, ...problem.objects].map(({ name, type }) => [name, type]));
}

function sortedIds(problem: Problem): readonly string[] {
  const seen = new Set<string>();
  for (const fact of problem.init) for (const name of fact.names) seen.add(name);
  // The way through JSON makes copies. An id as it was read is a view that would keep the whole problem text.
  return JSON.parse(JSON.stringify([...seen].sort())) as string[];
}

function checkDeclared(ids: readonly string[], declared: ReadonlyMap<string, string>): void {
  const undeclared = ids.find((id) => !declared.has(id));
  if (undeclared === undefined) return;
  throw new EngineError(
    "bad-game",
    `Bad game file: "${undeclared}" is used but not declared in :objects of pddl_problem.`,
  );
}

/** Apart from the above, so that what was only needed for reading is let go. */
function tableOf(domain: Domain, ids: readonly string[], byType: ReadonlyMap<string, readonly number[]>): Entities {
  const known = new Map<string, Members>();
  const isA = (type: string, wanted: string): boolean => {
    if (wanted === "object" && !domain.types.has("object")) return true;
    let at: string | undefined = type;
    // A chain longer than the number of types is a circle.
    for (let step = 0; step <= domain.types.size && at !== undefined && at !== ""; step += 1) {
      if (at === wanted) return true;
      at = domain.types.get(at);
    }
    return false;
  };
  return {
    count: ids.length,
    ids,
    names: displayNames(ids),
    find: (id) => findSorted(ids, id),
    members: (type) => {
      let members = known.get(type);
      if (members === undefined) {
        const wanted = [...byType].filter(([declared]) => isA(declared, type));
        const list = wanted.flatMap(([, group]) => group).sort((left, right) => left - right);
        const position = new Int32Array(ids.length).fill(-1);
        for (const [place, entity] of list.entries()) position[entity] = place;
        members = { list: Int32Array.from(list), position };
        known.set(type, members);
      }
      return members;
    },
  };
}

function displayNames(ids: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const names: string[] = [];
  for (let index = ids.length - 1; index >= 0; index -= 1) {
    const id = ids[index] as string;
    const bar = id.indexOf("_bar_");
    const stem = bar === -1 ? id : id.slice(0, bar);
    const word = bar !== -1 && id.includes("basin", bar) ? `${stem}basin` : stem;
    const number = (counts.get(word) ?? 0) + 1;
    counts.set(word, number);
    names[index] = `${word} ${number}`;
  }
  return names;
}

function findSorted(ids: readonly string[], wanted: string): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as string) < wanted) low = middle + 1;
    else high = middle;
  }
  return ids[low] === wanted ? low : -1;
}

// One situation of a game: its things, what is true at the start, and the goal.

interface Fact {
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
