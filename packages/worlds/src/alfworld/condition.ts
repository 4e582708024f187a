/**
 * Conditions of the planning language, brought into the one form the interpreter works with: alternatives, each a
 * list of literals that must all hold. Existential variables become further variables of their alternative.
 */
import { asList, asWord, badText, head, typedNames, unknownConstruct, type Sexpr, type SexprList } from "./sexpr.ts";

/** A variable by its slot in the binding, or a constant by its name. */
export type Term = { readonly slot: number } | { readonly constant: string };

/** `predicate` is "=" for equality, which never names facts. */
export interface Literal {
  readonly positive: boolean;
  readonly predicate: string;
  readonly terms: readonly Term[];
}

export interface Variable {
  readonly name: string;
  readonly type: string;
}

export interface Alternative {
  readonly literals: readonly Literal[];
  /** Every slot in use, those given from outside first. */
  readonly variables: readonly Variable[];
}

export interface ConditionContext {
  readonly source: string;
  /** Arity of every predicate. */
  readonly predicates: ReadonlyMap<string, readonly string[]>;
  readonly types: ReadonlySet<string>;
}

const KNOWN = ["and", "or", "not", "exists", "="];
/** `or` below `and` multiplies out; a condition that grows beyond this is a mistake or an attack. */
const MAX_ALTERNATIVES = 1_000;

/** A scope names variables visible at a point; inner names hide outer ones. */
type Scope = ReadonlyMap<string, number>;

/** `given` are the variables bound from outside: an action's parameters. */
export function parseCondition(
  node: Sexpr | undefined,
  given: readonly Variable[],
  context: ConditionContext,
  line: number,
): readonly Alternative[] {
  if (node === undefined) return [{ literals: [], variables: given }];
  const scope = new Map(given.map((variable, slot) => [variable.name, slot]));
  const tree = asList(node, context.source, line, "a condition");
  return expand(tree, [{ literals: [], variables: given }], scope, true, context);
}

/** Adds what `node` asks for to every alternative; several remain where it gives a choice. */
function expand(
  node: SexprList,
  alternatives: readonly Alternative[],
  scope: Scope,
  positive: boolean,
  context: ConditionContext,
): readonly Alternative[] {
  const word = head(node);
  const parts = node.items.slice(1);
  const inner = (item: Sexpr): SexprList => asList(item, context.source, node.line, `a part of "${word}"`);
  if (node.items.length === 0) return alternatives;
  if (word === "not") {
    if (parts.length !== 1) throw badText(context.source, node.line, `"not" takes one condition, not ${parts.length}`);
    return expand(inner(parts[0] as Sexpr), alternatives, scope, !positive, context);
  }
  // A denied "and" is an "or" of denials, and the other way round.
  if (word === "and" || word === "or") {
    if ((word === "and") === positive) {
      return parts.reduce((so, part) => expand(inner(part), so, scope, positive, context), alternatives);
    }
    const all = parts.flatMap((part) => expand(inner(part), alternatives, scope, positive, context));
    if (all.length > MAX_ALTERNATIVES) {
      throw badText(context.source, node.line, `the condition has more than ${MAX_ALTERNATIVES} alternatives`);
    }
    return all;
  }
  if (word === "exists") {
    if (!positive) throw unknownConstruct(context.source, node.line, "not exists", KNOWN);
    return expandExists(node, alternatives, scope, context);
  }
  const literal = { ...parseAtom(node, scope, context), positive };
  return alternatives.map(({ literals, variables }) => ({ literals: [...literals, literal], variables }));
}

function expandExists(
  node: SexprList,
  alternatives: readonly Alternative[],
  scope: Scope,
  context: ConditionContext,
): readonly Alternative[] {
  const declared = asList(node.items[1], context.source, node.line, 'the variables of "exists"');
  const variables = typedNames(declared.items, context.source, declared.line);
  for (const { type } of variables) checkType(type, declared.line, context);
  const body = asList(node.items[2], context.source, node.line, 'the condition of "exists"');
  return alternatives.flatMap((alternative) => {
    const first = alternative.variables.length;
    const inside = new Map([...scope, ...variables.map(({ name }, index) => [name, first + index] as const)]);
    const wider = { literals: alternative.literals, variables: [...alternative.variables, ...variables] };
    return expand(body, [wider], inside, true, context);
  });
}

/** The constants that conditions name. */
export function usedConstants(alternatives: readonly Alternative[]): string[] {
  const terms = alternatives.flatMap(({ literals }) => literals.flatMap((literal) => literal.terms));
  return [...new Set(terms.flatMap((term) => ("constant" in term ? [term.constant] : [])))];
}

/** `(predicate term …)`; the sign is the caller's. */
export function parseAtom(node: SexprList, scope: Scope, context: ConditionContext): Omit<Literal, "positive"> {
  const predicate = asWord(node.items[0], context.source, node.line, "the name of a predicate");
  const arity = predicate === "=" ? 2 : context.predicates.get(predicate)?.length;
  if (arity === undefined) {
    throw unknownConstruct(context.source, node.line, predicate, [...KNOWN, "the declared predicates"]);
  }
  const words = node.items.slice(1).map((item) => asWord(item, context.source, node.line, `a term of "${predicate}"`));
  if (arity !== words.length) {
    throw badText(context.source, node.line, `"${predicate}" takes ${arity} terms, not ${words.length}`);
  }
  const terms = words.map((word): Term => {
    if (!word.startsWith("?")) return { constant: word };
    const slot = scope.get(word);
    if (slot === undefined) throw badText(context.source, node.line, `the variable "${word}" is not declared`);
    return { slot };
  });
  return { predicate, terms };
}

/**
 * The official domain glues a comma to a type name ("location,"), and the original planner takes it for a type that
 * nothing has. A type with a comma is therefore kept as one without members; any other unknown type is an error.
 */
export function checkType(type: string, line: number, context: ConditionContext): void {
  if (context.types.has(type) || type === "object" || type.endsWith(",")) return;
  throw badText(context.source, line, `the type "${type}" is not declared`);
}
