/** Puts replies together: production rules and queries over what is true now. */
import { EngineError } from "../../base/index.ts";
import { factNumber, holds } from "./facts.ts";
import type { Grammar } from "./grammar.ts";
import type { Grounding } from "./ground.ts";
import type { Expression, Part, Query, QueryAtom, Template } from "./template.ts";

/** Entities by variable. Queries tell variables apart by name and type, templates by name. */
export type Variables = ReadonlyMap<string, { readonly type: string; readonly entity: number }>;

export interface TextContext extends Grounding {
  readonly grammar: Grammar;
}

const NO_VARIABLES: Variables = new Map();
/** Official replies nest 5 deep; a rule that calls itself must not hang. */
const MAX_DEPTH = 60;

export function renderText(
  template: Template,
  context: TextContext,
  bits: Uint32Array,
  variables: Variables = NO_VARIABLES,
): string {
  return render(template, context, bits, variables, 0);
}

function render(
  template: Template,
  context: TextContext,
  bits: Uint32Array,
  variables: Variables,
  depth: number,
): string {
  let text = "";
  for (const part of template) {
    if (part.kind === "text") text += part.text;
    else if (part.kind === "rule") text += rule(part.rule, context, bits, variables, depth);
    else text += each(part, context, bits, variables, depth);
  }
  return text;
}

function rule(name: string, context: TextContext, bits: Uint32Array, variables: Variables, depth: number): string {
  if (depth > MAX_DEPTH) throw bad(`the rule "${name}" calls itself without end`);
  const productions = context.grammar.rules.get(name);
  if (productions === undefined) throw bad(`the rule "#${name}#" does not exist`);
  const chosen = productions.find(
    ({ condition }) => condition === undefined || hasAnswer(condition, context, bits, variables),
  );
  if (chosen === undefined) throw bad(`no production of the rule "${name}" applies`);
  return render(chosen.template, context, bits, variables, depth + 1);
}

function each(
  part: Part & { readonly kind: "each" },
  context: TextContext,
  bits: Uint32Array,
  variables: Variables,
  depth: number,
): string {
  const one = (bound: Variables): string =>
    part.item.kind === "rule" ? rule(part.item.rule, context, bits, bound, depth) : value(part.item, context, bound);
  if (part.query === undefined) return one(variables);
  const texts: string[] = [];
  answers(part.query, context, bits, variables, (bound) => {
    texts.push(one(bound));
    return true;
  });
  if (!part.list || texts.length === 1) return texts.join("");
  const helper = (name: string): string => rule(name, context, bits, variables, depth);
  if (texts.length === 0) return helper("list_empty");
  return texts.slice(0, -1).join(helper("list_separator")) + helper("list_last_separator") + (texts.at(-1) ?? "");
}

function value(expression: Expression, context: TextContext, variables: Variables): string {
  if (expression.kind === "text") return expression.text;
  if (expression.kind === "sum") return expression.parts.map((part) => value(part, context, variables)).join("");
  if (expression.kind === "or") {
    return expression.parts.reduce((text, part) => (text === "" ? value(part, context, variables) : text), "");
  }
  const bound = variables.get(expression.variable);
  if (bound === undefined) throw bad(`the variable "${expression.variable}" has no value`);
  if (expression.attribute === "indefinite") return "a";
  if (expression.attribute === "definite") return "the";
  const list = expression.attribute === "id" ? context.entities.ids : context.entities.names;
  return list[bound.entity] ?? "";
}

function hasAnswer(query: Query, context: TextContext, bits: Uint32Array, variables: Variables): boolean {
  let found = false;
  answers(query, context, bits, variables, () => {
    found = true;
    return false;
  });
  return found;
}

/**
 * Calls `tell` for every answer, in the order of the facts, until it returns false. Different variables stand for
 * different things.
 */
function answers(
  query: Query,
  context: TextContext,
  bits: Uint32Array,
  given: Variables,
  tell: (variables: Variables) => boolean,
): void {
  const bound = new Map(given);
  const used = new Set([...given.values()].map(({ entity }) => entity));
  const visit = (depth: number): boolean => {
    const atom = query[depth];
    if (atom === undefined) return tell(new Map(bound));
    const match = (position: number, row: readonly number[] | undefined): boolean => {
      const variable = atom.variables[position];
      if (variable === undefined) {
        const values = row ?? atom.variables.map(({ name }) => bound.get(name)?.entity ?? -1);
        return row !== undefined || isTrue(atom, values, context, bits) ? visit(depth + 1) : true;
      }
      const present = bound.get(variable.name);
      if (present !== undefined && present.type === variable.type) {
        return row === undefined || row[position] === present.entity ? match(position + 1, row) : true;
      }
      const candidates = row === undefined ? context.entities.members(variable.type).list : [row[position] as number];
      for (const entity of candidates) {
        if (used.has(entity) || (context.entities.members(variable.type).position[entity] ?? -1) < 0) continue;
        bound.set(variable.name, { type: variable.type, entity });
        used.add(entity);
        const more = match(position + 1, row);
        used.delete(entity);
        if (present === undefined) bound.delete(variable.name);
        else bound.set(variable.name, present);
        if (!more) return false;
      }
      return true;
    };
    const relation = context.relations.get(atom.predicate);
    // A predicate that is neither has no facts at all: a denial nobody ever made, for one.
    if (relation === undefined) return context.space.fluents.has(atom.predicate) ? match(0, undefined) : true;
    for (const row of relation.rows) if (!match(0, row)) return false;
    return true;
  };
  visit(0);
}

function isTrue(atom: QueryAtom, values: readonly number[], context: TextContext, bits: Uint32Array): boolean {
  const fluent = context.space.fluents.get(atom.predicate);
  return fluent !== undefined && holds(bits, factNumber(fluent, values));
}

function bad(what: string): EngineError {
  return new EngineError("bad-game", `Bad game file: in grammar, ${what}.`);
}
