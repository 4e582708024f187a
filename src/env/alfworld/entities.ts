/**
 * The things of a game as whole numbers, in the order of their ids, with the names a player sees.
 *
 * The original names a thing by what stands before the first `_bar_` of its id, with "basin" added where the id has
 * that word, and a number. Things of one name are numbered backwards: the first id in order has the highest number.
 */
import { EngineError, groupedBy } from "../../base/index.ts";
import { usedConstants } from "./condition.ts";
import type { Domain } from "./domain.ts";
import type { Problem } from "./problem.ts";

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
