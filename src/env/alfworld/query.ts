/** Questions a text asks about what is true now, answered in the order of the facts. */
import { factNumber, holds, type Fluent } from "./facts.ts";
import type { Grounding } from "./ground.ts";
import type { Relation, Rows } from "./relations.ts";
import type { Scope } from "./scope.ts";
import type { Query, QueryAtom } from "./template.ts";
import { replies } from "./work.ts";

/** One question on its way; passed along whole, since it is asked at every step of every episode. */
export interface Asking {
  readonly query: Query;
  readonly grounding: Grounding;
  readonly bits: Uint32Array;
  /** Holds the answer while `tell` runs. */
  readonly scope: Scope;
  /** Called for every answer until it returns false. */
  readonly tell: () => boolean;
}

/**
 * Goes through the answers from the atom at `depth` on. Different variables stand for different things, as in the
 * original. Returns whether `tell` stopped it.
 */
export function eachAnswer(asking: Asking, depth = 0): boolean {
  const atom = asking.query[depth];
  if (atom === undefined) return !asking.tell();
  const { relations, space } = asking.grounding;
  const relation = relations.get(atom.predicate);
  if (relation !== undefined) return eachRow(asking, depth, atom, relation);
  const fluent = space.fluents.get(atom.predicate);
  // A predicate that is neither has no facts at all: a denial nobody ever made, for one.
  return fluent !== undefined && eachFact(asking, depth, atom, fluent, []);
}

function eachRow(asking: Asking, depth: number, atom: QueryAtom, relation: Relation): boolean {
  const { scope, grounding } = asking;
  const outside = scope.entities.length;
  for (const row of rowsFor(relation, atom, scope)) {
    replies.spend();
    const stopped = matches(atom, row, grounding, scope) && eachAnswer(asking, depth + 1);
    while (scope.entities.length > outside) scope.pop();
    if (stopped) return true;
  }
  return false;
}

function matches(atom: QueryAtom, row: readonly number[], grounding: Grounding, scope: Scope): boolean {
  for (let position = 0; position < row.length; position += 1) {
    const { name, type } = atom.variables[position] as QueryAtom["variables"][number];
    const entity = row[position] as number;
    const bound = scope.find(name, type);
    if (bound >= 0 ? bound !== entity : !isNew(entity, type, grounding, scope)) return false;
    if (bound < 0) scope.push(name, type, entity);
  }
  return true;
}

/** `values` are those of the variables so far; it grows and shrinks with the recursion. */
function eachFact(asking: Asking, depth: number, atom: QueryAtom, fluent: Fluent, values: number[]): boolean {
  const { bits, grounding, scope } = asking;
  const place = values.length;
  const variable = atom.variables[place];
  if (variable === undefined) return holds(bits, factNumber(fluent, values)) && eachAnswer(asking, depth + 1);
  const { name, type } = variable;
  const bound = scope.find(name, type);
  if (bound >= 0) {
    values.push(bound);
    const stopped = eachFact(asking, depth, atom, fluent, values);
    values.length = place;
    return stopped;
  }
  const isLast = place === atom.variables.length - 1;
  for (const entity of grounding.entities.members(type).list) {
    replies.spend();
    values[place] = entity;
    // Most candidates for the last variable fail; the fact is looked at before anything is bound to it.
    const possible = !isLast || holds(bits, factNumber(fluent, values));
    if (possible && isNew(entity, type, grounding, scope)) {
      scope.push(name, type, entity);
      const stopped = eachFact(asking, depth, atom, fluent, values);
      scope.pop();
      if (stopped) return true;
    }
    values.length = place;
  }
  return false;
}

function isNew(entity: number, type: string, grounding: Grounding, scope: Scope): boolean {
  return (grounding.entities.members(type).position[entity] as number) >= 0 && !scope.entities.includes(entity);
}

/** The fewest rows that hold every answer. */
function rowsFor(relation: Relation, atom: QueryAtom, scope: Scope): Rows {
  let best: Rows | undefined;
  for (let position = 0; position < atom.variables.length; position += 1) {
    const { name, type } = atom.variables[position] as QueryAtom["variables"][number];
    const value = scope.find(name, type);
    if (value < 0) continue;
    const rows = relation.with(position, value);
    if (best === undefined || rows.length < best.length) best = rows;
  }
  return best ?? relation.rows();
}
