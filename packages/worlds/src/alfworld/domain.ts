/** The rules of a game: types, predicates and actions, read from the text of a PDDL domain. */
import {
  checkType,
  parseAtom,
  parseCondition,
  usedConstants,
  type Alternative,
  type ConditionContext,
  type Literal,
  type Variable,
} from "./condition.ts";
import {
  asList,
  asWord,
  badText,
  head,
  parseSexpr,
  typedNames,
  unknownConstruct,
  type Sexpr,
  type SexprList,
} from "./sexpr.ts";

/** One change an action makes, for every value of the variables beyond the action's own, where the condition holds. */
export interface Effect {
  readonly literal: Literal;
  /** The action's parameters, then those of surrounding `forall`s. */
  readonly variables: readonly Variable[];
  /** Read in the state before the action; undefined: always. */
  readonly when: readonly Alternative[] | undefined;
}

export interface Action {
  readonly name: string;
  readonly parameters: readonly Variable[];
  readonly alternatives: readonly Alternative[];
  readonly effects: readonly Effect[];
}

export interface Domain {
  readonly name: string;
  /** Parent of each type; "object" has none. */
  readonly types: ReadonlyMap<string, string>;
  readonly constants: readonly Variable[];
  /** Parameter types of each predicate. */
  readonly predicates: ReadonlyMap<string, readonly string[]>;
  readonly actions: readonly Action[];
  /** Things the actions name. */
  readonly usedConstants: readonly string[];
}

const SOURCE = "pddl_domain";
const SECTIONS = [":requirements", ":types", ":constants", ":predicates", ":functions", ":action"];
const EFFECTS = ["and", "not", "when", "forall", "increase", "the declared predicates"];

export function parseDomain(text: string): Domain {
  const root = parseSexpr(text, SOURCE);
  const title = asList(root.items[1], SOURCE, root.line, "the second part");
  if (head(root) !== "define" || head(title) !== "domain") {
    throw badText(SOURCE, root.line, 'the text does not begin with "(define (domain …)"');
  }
  const sections = root.items.slice(2).map((item) => asList(item, SOURCE, root.line, "a section"));
  const unknown = sections.find((section) => !SECTIONS.includes(head(section)));
  if (unknown !== undefined) throw unknownConstruct(SOURCE, unknown.line, head(unknown), SECTIONS);
  const named = (name: string): SexprList[] => sections.filter((section) => head(section) === name);
  const pairs = (name: string) => named(name).flatMap(({ items, line }) => typedNames(items.slice(1), SOURCE, line));
  const types = typeParents(pairs(":types"));
  const predicates = new Map<string, readonly string[]>();
  const context: ConditionContext = { source: SOURCE, predicates, types: new Set(types.keys()) };
  for (const section of named(":predicates")) {
    for (const item of section.items.slice(1)) {
      const declared = asList(item, SOURCE, section.line, "a predicate");
      const parameters = typedNames(declared.items.slice(1), SOURCE, declared.line);
      for (const { type } of parameters) checkType(type, declared.line, context);
      predicates.set(
        head(declared),
        parameters.map(({ type }) => type),
      );
    }
  }
  const actions = named(":action").map((section) => parseAction(section, context));
  return {
    name: asWord(title.items[1], SOURCE, title.line, "the domain's name"),
    types,
    constants: pairs(":constants"),
    predicates,
    actions,
    usedConstants: usedConstants(
      actions.flatMap(({ alternatives, effects }) => [...alternatives, ...effects.flatMap(effectConditions)]),
    ),
  };
}

function effectConditions({ literal, variables, when }: Effect): readonly Alternative[] {
  return [{ literals: [literal], variables }, ...(when ?? [])];
}

/**
 * In PDDL everything is an "object". The official domain declares a type of that very name for the things an agent can
 * hold; where a domain does so, only things declared as such count.
 */
function typeParents(declared: readonly Variable[]): Map<string, string> {
  const ownObject = declared.some(({ name }) => name === "object");
  return new Map(
    declared.map(({ name, type }) => [name, name === "object" || (ownObject && type === "object") ? "" : type]),
  );
}

function parseAction(section: SexprList, context: ConditionContext): Action {
  const name = asWord(section.items[1], SOURCE, section.line, "an action's name");
  const parts = new Map<string, Sexpr>();
  for (let index = 2; index < section.items.length; index += 2) {
    const key = asWord(section.items[index], SOURCE, section.line, `a part of action "${name}"`);
    const known = [":parameters", ":precondition", ":effect"];
    if (!known.includes(key)) throw unknownConstruct(SOURCE, section.line, key, known);
    const value = section.items[index + 1];
    if (value === undefined) throw badText(SOURCE, section.line, `"${key}" of action "${name}" has no value`);
    parts.set(key, value);
  }
  const declared = asList(parts.get(":parameters"), SOURCE, section.line, `the parameters of action "${name}"`);
  const parameters = typedNames(declared.items, SOURCE, declared.line);
  for (const { type } of parameters) checkType(type, declared.line, context);
  const effect = asList(parts.get(":effect"), SOURCE, section.line, `the effect of action "${name}"`);
  return {
    name,
    parameters,
    alternatives: parseCondition(parts.get(":precondition"), parameters, context, section.line),
    effects: parseEffect(effect, parameters, undefined, context),
  };
}

function parseEffect(
  node: SexprList,
  variables: readonly Variable[],
  when: Effect["when"],
  context: ConditionContext,
): Effect[] {
  const word = head(node);
  const part = (index: number): SexprList => asList(node.items[index], SOURCE, node.line, `a part of "${word}"`);
  if (node.items.length === 0) return [];
  // Costs guide a planner; nothing an agent sees depends on them.
  if (word === "increase") return [];
  if (word === "and")
    return node.items.slice(1).flatMap((_, index) => parseEffect(part(index + 1), variables, when, context));
  if (word === "when") {
    if (when !== undefined) throw unknownConstruct(SOURCE, node.line, "when inside when", EFFECTS);
    return parseEffect(part(2), variables, parseCondition(part(1), variables, context, node.line), context);
  }
  if (word === "forall") {
    if (when !== undefined) throw unknownConstruct(SOURCE, node.line, "forall inside when", EFFECTS);
    const more = typedNames(part(1).items, SOURCE, node.line);
    for (const { type } of more) checkType(type, node.line, context);
    return parseEffect(part(2), [...variables, ...more], undefined, context);
  }
  const scope = new Map(variables.map((variable, slot) => [variable.name, slot]));
  const positive = word !== "not";
  const atom = positive ? node : part(1);
  const isAtom = context.predicates.has(head(atom)) && (positive || node.items.length === 2);
  if (!isAtom) throw unknownConstruct(SOURCE, node.line, positive ? word : `not ${head(atom)}`, EFFECTS);
  return [{ literal: { ...parseAtom(atom, scope, context), positive }, variables, when }];
}
