/**
 * The things of a game as whole numbers, in the order of their ids, with the names a player sees.
 *
 * The original names a thing by what stands before the first `_bar_` of its id, with "basin" added where the id has
 * that word, and a number. Things of one name are numbered backwards: the first id in order has the highest number.
 */
import { EngineError } from "../../base/index.ts";
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
  const types = new Map<string, string>();
  for (const { name, type } of domain.constants) types.set(name, type);
  for (const { name, type } of problem.objects) types.set(name, type);
  const seen = new Set<string>();
  for (const fact of problem.init) for (const name of fact.names) seen.add(name);
  // The copy lets go of the whole problem text, of which an id is a view.
  const ids = [...seen].sort().map((id) => ` ${id}`.slice(1));
  const constants = [...domain.usedConstants, ...usedConstants(problem.goal)];
  const undeclared = [...ids, ...constants].find((id) => !types.has(id));
  if (undeclared !== undefined) throw unknownThing(undeclared);
  const numbers = new Map(ids.map((id, index) => [id, index]));
  const byType = new Map<string, number[]>();
  for (const [index, id] of ids.entries()) {
    const type = types.get(id) ?? "";
    const group = byType.get(type);
    if (group === undefined) byType.set(type, [index]);
    else group.push(index);
  }
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
    find: (id) => numbers.get(id) ?? -1,
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

function unknownThing(id: string): EngineError {
  return new EngineError("bad-game", `Bad game file: "${id}" is used but not declared in :objects of pddl_problem.`);
}
