/**
 * From rules with variables to rules about things: every way to fill the variables that the unchanging facts allow,
 * with what is left to ask of the changing ones.
 */
import type { Alternative, Literal, Term } from "./condition.ts";
import type { Entities } from "./entities.ts";
import { factNumber, type FactSpace } from "./facts.ts";
import type { Relation, Rows } from "./relations.ts";

export interface Grounding {
  readonly entities: Entities;
  readonly space: FactSpace;
  readonly relations: ReadonlyMap<string, Relation>;
}

/** One filling: a value per slot, and facts that must (+ number + 1) or must not (- number - 1) hold. */
export type Emit = (binding: readonly number[], demands: readonly number[]) => void;

/**
 * Calls `emit` for every filling of the alternative that agrees with `given` (undefined: open). Fillings come in the
 * order of the ids. The facts asked for are not looked up: that is the state's business.
 */
export function ground(
  alternative: Alternative,
  given: readonly (number | undefined)[],
  grounding: Grounding,
  emit: Emit,
): void {
  const { entities, relations, space } = grounding;
  const { literals, variables } = alternative;
  const binding: (number | undefined)[] = variables.map((_, slot) => given[slot]);
  const members = variables.map(({ type }) => entities.members(type).position);
  const fits = (slot: number, value: number): boolean => (members[slot]?.[value] ?? -1) >= 0;
  if (binding.some((value, slot) => value !== undefined && !fits(slot, value))) return;
  const resolve = (term: Term): number | undefined =>
    "slot" in term ? binding[term.slot] : entities.find(term.constant);
  const isStatic = ({ predicate }: Literal): boolean => predicate !== "=" && !space.fluents.has(predicate);
  const joins = joinOrder(
    literals.filter((literal) => literal.positive && isStatic(literal)),
    given,
  );

  const finish = (): void => {
    const demands: number[] = [];
    for (const literal of literals) {
      const values = literal.terms.map((term) => resolve(term) as number);
      if (literal.predicate === "=") {
        if ((values[0] === values[1]) !== literal.positive) return;
      } else if (isStatic(literal)) {
        if ((relations.get(literal.predicate)?.has(values) ?? false) !== literal.positive) return;
      } else {
        const fluent = space.fluents.get(literal.predicate);
        const fact = fluent === undefined ? -1 : factNumber(fluent, values);
        if (fact >= 0) demands.push(literal.positive ? fact + 1 : -fact - 1);
        else if (literal.positive) return;
      }
    }
    emit(binding as number[], demands);
  };

  const fillOpen = (slot: number): void => {
    if (slot === variables.length) return finish();
    if (binding[slot] !== undefined) return fillOpen(slot + 1);
    for (const value of entities.members(variables[slot]?.type ?? "").list) {
      binding[slot] = value;
      fillOpen(slot + 1);
    }
    binding[slot] = undefined;
  };

  const join = (depth: number): void => {
    const literal = joins[depth];
    if (literal === undefined) return fillOpen(0);
    const known = literal.terms.map(resolve);
    for (const row of candidates(relations.get(literal.predicate), known)) {
      const filled: number[] = [];
      const agrees = literal.terms.every((term, position) => {
        const value = row[position] as number;
        const present = resolve(term);
        if (present !== undefined) return present === value;
        if (!("slot" in term) || !fits(term.slot, value)) return false;
        binding[term.slot] = value;
        filled.push(term.slot);
        return true;
      });
      if (agrees) join(depth + 1);
      for (const slot of filled) binding[slot] = undefined;
    }
  };
  join(0);
}

/** At each point the literal with the fewest open variables comes next, so that rows are looked up, not listed. */
function joinOrder(literals: readonly Literal[], given: readonly (number | undefined)[]): Literal[] {
  const bound = new Set(given.flatMap((value, slot) => (value === undefined ? [] : [slot])));
  const open = ({ terms }: Literal): number =>
    new Set(terms.flatMap((term) => ("slot" in term && !bound.has(term.slot) ? [term.slot] : []))).size;
  const waiting = [...literals];
  const order: Literal[] = [];
  while (waiting.length > 0) {
    let best = 0;
    for (let index = 1; index < waiting.length; index += 1) {
      if (open(waiting[index] as Literal) < open(waiting[best] as Literal)) best = index;
    }
    const [next] = waiting.splice(best, 1) as [Literal];
    order.push(next);
    for (const term of next.terms) if ("slot" in term) bound.add(term.slot);
  }
  return order;
}

function candidates(relation: Relation | undefined, known: readonly (number | undefined)[]): Rows {
  if (relation === undefined) return [];
  let best: Rows = relation.rows;
  for (const [position, value] of known.entries()) {
    if (value === undefined) continue;
    const rows = relation.with(position, value);
    if (rows.length < best.length) best = rows;
  }
  return best;
}
