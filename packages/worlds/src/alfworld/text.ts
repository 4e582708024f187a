/** Puts replies together: production rules and lists over what is true now. */
import { EngineError } from "limbeck-base/base/errors";
import type { Grammar } from "./grammar.ts";
import type { Grounding } from "./ground.ts";
import type { Expression, Part, Template, Query, QueryAtom } from "./template.ts";
import { replies } from "./work.ts";
import { factNumber, holds, type Fluent } from "./facts.ts";
import type { Relation, Rows } from "./relations.ts";

export interface TextContext extends Grounding {
  readonly grammar: Grammar;
}

/** Official replies nest 5 deep; a rule that calls itself must not hang. */
const MAX_DEPTH = 60;

export function renderText(
  template: Template,
  context: TextContext,
  bits: Uint32Array,
  scope: Scope = new Scope(),
  depth = 0,
): string {
  if (depth === 0) replies.begin();
  let text = "";
  for (const part of template) {
    if (part.kind === "text") text += part.text;
    else if (part.kind === "rule") text += rule(part.rule, context, bits, scope, depth);
    else text += each(part, context, bits, scope, depth);
  }
  return text;
}

function rule(name: string, context: TextContext, bits: Uint32Array, scope: Scope, depth: number): string {
  replies.spend();
  if (depth > MAX_DEPTH) throw bad(`the rule "${name}" calls itself without end`);
  const productions = context.grammar.rules.get(name);
  if (productions === undefined) throw bad(`the rule "#${name}#" does not exist`);
  for (const { condition, template } of productions) {
    const applies =
      condition === undefined || eachAnswer({ query: condition, grounding: context, bits, scope, tell: stopAtFirst });
    if (applies) return renderText(template, context, bits, scope, depth + 1);
  }
  throw bad(`no production of the rule "${name}" applies`);
}

function stopAtFirst(): boolean {
  return false;
}

function each(
  part: Part & { readonly kind: "each" },
  context: TextContext,
  bits: Uint32Array,
  scope: Scope,
  depth: number,
): string {
  const { item, query } = part;
  if (query === undefined) return renderItem(item, context, bits, scope, depth);
  const texts: string[] = [];
  const asking = {
    query,
    grounding: context,
    bits,
    scope,
    tell: () => texts.push(renderItem(item, context, bits, scope, depth)) > 0,
  };
  eachAnswer(asking);
  if (!part.list || texts.length === 1) return texts.join("");
  if (texts.length === 0) return rule("list_empty", context, bits, scope, depth);
  const separator = rule("list_separator", context, bits, scope, depth);
  const lastSeparator = rule("list_last_separator", context, bits, scope, depth);
  return texts.slice(0, -1).join(separator) + lastSeparator + (texts.at(-1) ?? "");
}

function renderItem(
  item: (Part & { readonly kind: "each" })["item"],
  context: TextContext,
  bits: Uint32Array,
  scope: Scope,
  depth: number,
): string {
  return item.kind === "rule" ? rule(item.rule, context, bits, scope, depth) : value(item, context, scope);
}

function value(expression: Expression, context: TextContext, scope: Scope): string {
  if (expression.kind === "text") return expression.text;
  if (expression.kind === "sum" || expression.kind === "or") {
    let text = "";
    for (const part of expression.parts)
      if (expression.kind === "sum" || text === "") text += value(part, context, scope);
    return text;
  }
  const entity = scope.named(expression.variable);
  if (entity < 0) throw bad(`the variable "${expression.variable}" has no value`);
  if (expression.attribute === "indefinite") return "a";
  if (expression.attribute === "definite") return "the";
  const list = expression.attribute === "id" ? context.entities.ids : context.entities.names;
  return list[entity] ?? "";
}

function bad(what: string): EngineError {
  return new EngineError("bad-game", `Bad game file: in grammar, ${what}.`);
}

// Questions a text asks about what is true now, answered in the order of the facts.

/** One question on its way; passed along whole, since it is asked at every step of every episode. */
interface Asking {
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
function eachAnswer(asking: Asking, depth = 0): boolean {
  const atom = asking.query[depth];
  if (atom === undefined) return !asking.tell();
  const { relations, space } = asking.grounding;
  const relation = relations.get(atom.predicate);
  if (relation !== undefined) return eachRow(asking, depth, atom, relation);
  const fluent = space.fluents.get(atom.predicate);
  // A predicate that is neither has no facts at all: a denial that was never made, for one.
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

/** The variables of a text and what they stand for: few enough that a list is faster than a map. */
export class Scope {
  readonly names: string[] = [];
  readonly types: string[] = [];
  readonly entities: number[] = [];

  push(name: string, type: string, entity: number): void {
    this.names.push(name);
    this.types.push(type);
    this.entities.push(entity);
  }

  pop(): void {
    this.names.pop();
    this.types.pop();
    this.entities.pop();
  }

  /** What the name stands for now, or -1. The latest meaning counts. */
  named(name: string): number {
    return this.entities[this.names.lastIndexOf(name)] ?? -1;
  }

  /** Queries tell variables apart by name and type. */
  find(name: string, type: string): number {
    for (let index = this.names.length - 1; index >= 0; index -= 1) {
      if (this.names[index] === name && this.types[index] === type) return this.entities[index] as number;
    }
    return -1;
  }
}
