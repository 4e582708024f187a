/**
 * The possible actions of a game, grouped by the changing fact they hang on (usually where the agent is, or what it
 * holds), and worked out when that fact first becomes true. All episodes and forks of a game share its blocks.
 */
import { EngineError } from "../../base/index.ts";
import type { Alternative, Literal } from "./condition.ts";
import type { Action } from "./domain.ts";
import { factValues, fluentOf, holds, type FactSpace } from "./facts.ts";
import { ground } from "./ground.ts";
import type { Query, Template } from "./template.ts";
import { renderText, type TextContext, type Variables } from "./text.ts";

/** Anchor of the actions that hang on no changing fact. */
export const ALWAYS = -1;

/** Instances in the order of their commands. */
export interface Block {
  readonly commands: readonly string[];
  readonly actions: readonly Action[];
  /** Values of the action's parameters. */
  readonly values: readonly Int32Array[];
  /** Facts that must (+ number + 1) or must not (- number - 1) hold. */
  readonly demands: readonly Int32Array[];
  /** The instances that ask for a fact. */
  watchers(fact: number): readonly number[];
}

interface Schema {
  readonly action: Action;
  readonly alternative: Alternative;
  /** The literal whose fact the instances hang on. */
  readonly anchor: Literal | undefined;
  readonly mayChangeNothing: boolean;
}

export interface Blocks {
  isAnchor(fact: number): boolean;
  get(anchor: number): Block;
}

export function createBlocks(actions: readonly Action[], context: TextContext): Blocks {
  const { space } = context;
  const schemas = actions.flatMap((action) => {
    checkCommand(action, context);
    return action.alternatives.map((alternative) => schema(action, alternative, space));
  });
  const byPredicate = byAnchor(schemas);
  const ranges = space.ordered.filter(({ predicate }) => byPredicate.has(predicate));
  const known = new Map<number, Block>();
  return {
    isAnchor: (fact) => ranges.some(({ base, size }) => fact >= base && fact < base + size),
    get: (anchor) => {
      let block = known.get(anchor);
      if (block === undefined) {
        const fluent = anchor === ALWAYS ? undefined : fluentOf(space, anchor);
        const values = fluent === undefined ? [] : factValues(fluent, anchor);
        block = buildBlock(byPredicate.get(fluent?.predicate) ?? [], values, context);
        known.set(anchor, block);
      }
      return block;
    },
  };
}

/** Whether all demands are met. */
export function isApplicable(demands: Int32Array, bits: Uint32Array): boolean {
  for (let index = 0; index < demands.length; index += 1) {
    const demand = demands[index] as number;
    if (demand > 0 ? !holds(bits, demand - 1) : holds(bits, -demand - 1)) return false;
  }
  return true;
}

interface Instance {
  readonly command: string;
  readonly action: Action;
  readonly values: Int32Array;
  readonly demands: Int32Array;
}

function buildBlock(schemas: readonly Schema[], anchorValues: readonly number[], context: TextContext): Block {
  const instances: Instance[] = [];
  for (const entry of schemas) {
    const { action, alternative } = entry;
    const given: (number | undefined)[] = [];
    const agrees = (entry.anchor?.terms ?? []).every((term, index) => {
      const value = anchorValues[index] as number;
      if (!("slot" in term)) return context.entities.find(term.constant) === value;
      const earlier = given[term.slot];
      given[term.slot] = value;
      return earlier === undefined || earlier === value;
    });
    if (!agrees) continue;
    ground(alternative, given, context, (binding, demands) => {
      if (entry.mayChangeNothing && changesNothing(entry, binding, context)) return;
      const values = Int32Array.from(binding.slice(0, action.parameters.length));
      const command = commandOf(action, values, context);
      instances.push({ command, action, values, demands: Int32Array.from(demands) });
    });
  }
  instances.sort((left, right) => (left.command < right.command ? -1 : left.command > right.command ? 1 : 0));
  let watchers: Map<number, number[]> | undefined;
  return {
    commands: instances.map(({ command }) => command),
    actions: instances.map(({ action }) => action),
    values: instances.map(({ values }) => values),
    demands: instances.map(({ demands }) => demands),
    watchers: (fact) => {
      watchers ??= watch(instances);
      return watchers.get(fact) ?? [];
    },
  };
}

function watch(instances: readonly Instance[]): Map<number, number[]> {
  const watchers = new Map<number, number[]>();
  for (const [index, { demands }] of instances.entries()) {
    for (const demand of demands) {
      const fact = Math.abs(demand) - 1;
      const list = watchers.get(fact);
      if (list === undefined) watchers.set(fact, [index]);
      else list.push(index);
    }
  }
  return watchers;
}

export function variablesOf(action: Action, values: Int32Array): Variables {
  return new Map(
    action.parameters.map(({ name, type }, slot) => [name.slice(1), { type, entity: values[slot] as number }]),
  );
}

const NO_BITS = new Uint32Array(0);

function commandOf(action: Action, values: Int32Array, context: TextContext): string {
  const template = context.grammar.actions.get(action.name)?.command ?? [];
  return renderText(template, context, NO_BITS, variablesOf(action, values));
}

function schema(action: Action, alternative: Alternative, space: FactSpace): Schema {
  const { literals } = alternative;
  const anchor = literals.find(({ positive, predicate }) => positive && space.fluents.has(predicate));
  const asked = new Set(literals.filter(({ positive }) => positive).map(({ predicate }) => predicate));
  const mayChangeNothing = action.effects.every(
    ({ literal, when }) => when === undefined && (!literal.positive || asked.has(literal.predicate)),
  );
  return { action, alternative, anchor, mayChangeNothing };
}

/**
 * The original planner drops an action that by its own conditions leaves everything as it is; hence no command leads
 * to the place where the agent already stands.
 */
function changesNothing({ action, alternative }: Schema, binding: readonly number[], context: TextContext): boolean {
  const shown = ({ predicate, terms }: Literal): string =>
    `${predicate} ${terms.map((term) => ("slot" in term ? binding[term.slot] : context.entities.find(term.constant))).join(" ")}`;
  const asked = (positive: boolean): Set<string> =>
    new Set(alternative.literals.filter((literal) => literal.positive === positive).map(shown));
  const [present, absent] = [asked(true), asked(false)];
  const adds = action.effects.filter(({ literal }) => literal.positive).map(({ literal }) => shown(literal));
  if (!adds.every((fact) => present.has(fact))) return false;
  const added = new Set(adds);
  return action.effects.every(
    ({ literal }) => literal.positive || added.has(shown(literal)) || absent.has(shown(literal)),
  );
}

/** A command must not change its words while the game goes on, or the same words would mean different things. */
function checkCommand(action: Action, context: TextContext): void {
  const text = context.grammar.actions.get(action.name);
  if (text === undefined) {
    throw new EngineError("bad-game", `Bad game file: the grammar has no text for the action "${action.name}".`);
  }
  const asks = (query: Query | undefined): boolean =>
    query?.some(({ predicate }) => context.space.fluents.has(predicate)) ?? false;
  const changing = (template: Template): boolean =>
    template.some((part) => part.kind === "rule" || (part.kind === "each" && asks(part.query)));
  if (changing(text.command)) {
    throw new EngineError("bad-game", `Bad game file: the command of "${action.name}" depends on facts that change.`);
  }
}

function byAnchor(schemas: readonly Schema[]): Map<string | undefined, Schema[]> {
  const groups = new Map<string | undefined, Schema[]>();
  for (const entry of schemas) {
    const key = entry.anchor?.predicate;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return groups;
}
