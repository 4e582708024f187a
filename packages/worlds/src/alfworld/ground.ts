/**
 * From rules with variables to rules about things: every way to fill the variables that the unchanging facts allow,
 * with what is left to ask of the changing ones.
 */
import type { Alternative, Literal, Term } from "./condition.ts";
import type { Entities, Members } from "./entities.ts";
import { factNumber, type FactSpace, type Fluent } from "./facts.ts";
import type { Relation, Rows } from "./relations.ts";
import { createWork } from "./work.ts";

export interface Grounding {
  readonly entities: Entities;
  readonly space: FactSpace;
  readonly relations: ReadonlyMap<string, Relation>;
}

/**
 * Receives one filling: a value per slot, and facts that must (+ number + 1) or must not (- number - 1) hold. Both
 * arrays are used again for the next filling.
 */
export type Emit = (binding: Int32Array, demands: readonly number[]) => void;

/** Fills the open slots. `given` holds a value or -1 per slot; slots beyond its end are open. */
export type Fill = (given: readonly number[], emit: Emit) => void;

const OPEN = -1;

/** A literal with its names looked up. A term is a slot, or a constant as its value. */
interface Ready {
  readonly literal: Literal;
  /** The slot of each term, or -1 for a constant. */
  readonly slots: readonly number[];
  readonly constants: readonly number[];
  readonly relation: Relation | undefined;
  readonly fluent: Fluent | undefined;
  readonly values: number[];
}

/**
 * Prepares an alternative whose slots `bound` will be given. The facts asked for are not looked up: that is the
 * state's business.
 */
export function prepare(alternative: Alternative, bound: ReadonlySet<number>, grounding: Grounding): Fill {
  const { entities } = grounding;
  const members = alternative.variables.map(({ type }) => entities.members(type));
  const binding = new Int32Array(members.length);
  const literals = alternative.literals.map((literal) => makeReady(literal, grounding));
  const joins = joinOrder(
    literals.filter(({ literal, relation }) => literal.positive && relation !== undefined),
    bound,
  );
  const demands: number[] = [];
  const work = createWork();
  let emit: Emit;

  const finish = (): void => {
    // The callback copies all of it.
    work.spend(binding.length);
    demands.length = 0;
    for (const ready of literals) {
      const { literal, fluent, relation, values } = ready;
      readValues(ready, binding);
      if (fluent !== undefined) {
        const fact = factNumber(fluent, values);
        if (fact >= 0) demands.push(literal.positive ? fact + 1 : -fact - 1);
        else if (literal.positive) return;
      } else {
        const isTrue = relation === undefined ? values[0] === values[1] : relation.has(values);
        if (isTrue !== literal.positive) return;
      }
    }
    emit(binding, demands);
  };
  const fillOpen = (slot: number): void => {
    if (slot === binding.length) return finish();
    if (binding[slot] !== OPEN) return fillOpen(slot + 1);
    for (const value of (members[slot] as Members).list) {
      work.spend();
      binding[slot] = value;
      fillOpen(slot + 1);
    }
    binding[slot] = OPEN;
  };
  const join = (depth: number): void => {
    const ready = joins[depth];
    if (ready === undefined) return fillOpen(0);
    readValues(ready, binding);
    // Deeper joins reuse nothing of this literal, but the row loop needs what was open before it began.
    const before = ready.values.slice();
    for (const row of candidates(ready.relation, before)) {
      work.spend();
      if (take(ready, row, before, binding, members)) join(depth + 1);
      for (const [position, slot] of ready.slots.entries()) if (before[position] === OPEN) binding[slot] = OPEN;
    }
  };
  return (given, receive) => {
    emit = receive;
    work.begin();
    for (let slot = 0; slot < binding.length; slot += 1) {
      const value = given[slot] ?? OPEN;
      if (value !== OPEN && ((members[slot] as Members).position[value] as number) < 0) return;
      binding[slot] = value;
    }
    join(0);
  };
}

function makeReady(literal: Literal, { entities, relations, space }: Grounding): Ready {
  const { predicate, terms } = literal;
  const constant = (term: Term): number => ("slot" in term ? OPEN : absent(entities.find(term.constant)));
  return {
    literal,
    slots: terms.map((term) => ("slot" in term ? term.slot : -1)),
    constants: terms.map(constant),
    relation: relations.get(predicate),
    fluent: space.fluents.get(predicate),
    values: terms.map(() => OPEN),
  };
}

/** A constant about which nothing is true must match nothing, and must not be mistaken for an open variable. */
function absent(entity: number): number {
  return entity === OPEN ? -2 : entity;
}

function readValues({ slots, constants, values }: Ready, binding: Int32Array): void {
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index] as number;
    values[index] = slot < 0 ? (constants[index] as number) : (binding[slot] as number);
  }
}

/** Writes a row into the binding; false where it contradicts what is bound or a variable's type. */
function take(
  { slots }: Ready,
  row: readonly number[],
  before: readonly number[],
  binding: Int32Array,
  members: readonly Members[],
): boolean {
  for (let position = 0; position < slots.length; position += 1) {
    const value = row[position] as number;
    const slot = slots[position] as number;
    // A variable may stand twice in one literal; the second time it is no longer open.
    const present = before[position] === OPEN ? (binding[slot] as number) : (before[position] as number);
    if (present === OPEN) {
      if (((members[slot] as Members).position[value] as number) < 0) return false;
      binding[slot] = value;
    } else if (present !== value) return false;
  }
  return true;
}

/** At each point the literal with the fewest open variables comes next, so that rows are looked up, not listed. */
function joinOrder(literals: readonly Ready[], given: ReadonlySet<number>): Ready[] {
  const bound = new Set(given);
  const open = ({ slots }: Ready): number => new Set(slots.filter((slot) => slot >= 0 && !bound.has(slot))).size;
  const waiting = [...literals];
  const order: Ready[] = [];
  while (waiting.length > 0) {
    let best = 0;
    for (let index = 1; index < waiting.length; index += 1) {
      if (open(waiting[index] as Ready) < open(waiting[best] as Ready)) best = index;
    }
    const [next] = waiting.splice(best, 1) as [Ready];
    order.push(next);
    for (const slot of next.slots) bound.add(slot);
  }
  return order;
}

/** The fewest rows that hold every match. */
function candidates(relation: Relation | undefined, known: readonly number[]): Rows {
  if (relation === undefined) return [];
  let best: Rows | undefined;
  for (let position = 0; position < known.length; position += 1) {
    const value = known[position] as number;
    if (value === OPEN) continue;
    const rows = relation.with(position, value);
    if (best === undefined || rows.length < best.length) best = rows;
  }
  return best ?? relation.rows();
}
