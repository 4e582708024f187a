/**
 * The possible actions of a game, grouped by the changing fact they hang on (usually where the agent is, or what it
 * holds), and worked out when that fact first becomes true. All episodes and forks of a game share its blocks.
 */
import type { Alternative, Literal } from "./condition.ts";
import { commandWriter } from "./command.ts";
import type { Action } from "./domain.ts";
import { factValues, fluentOf, isMet, pack, watch, type Watching } from "./facts.ts";
import { prepare } from "./ground.ts";
import type { TextContext } from "./text.ts";

/** Anchor of the actions that hang on no changing fact. */
export const ALWAYS = -1;

/** Instances in the order of their commands. Numbers are packed: thousands of small arrays would cost more than they hold. */
export interface Block {
  readonly commands: readonly string[];
  readonly actions: readonly Action[];
  /** Values of the parameters of instance i: from valueStarts[i] to valueStarts[i + 1]. */
  readonly values: Int32Array;
  readonly valueStarts: Int32Array;
  /** Facts that must (+ number + 1) or must not (- number - 1) hold for instance i: from demandStarts[i] on. */
  readonly demands: Int32Array;
  readonly demandStarts: Int32Array;
  /** The instances that ask for a fact. */
  watchers(fact: number): Int32Array;
}

interface Schema {
  readonly action: Action;
  readonly alternative: Alternative;
  /** The literal whose fact the instances hang on. */
  readonly anchor: Literal | undefined;
  readonly mayChangeNothing: boolean;
  /** Slots that the anchor gives. */
  readonly bound: ReadonlySet<number>;
  /** The words of an instance. */
  readonly command: (values: readonly number[]) => string;
}

export interface Blocks {
  isAnchor(fact: number): boolean;
  get(anchor: number): Block;
}

export function createBlocks(actions: readonly Action[], context: TextContext): Blocks {
  const { space } = context;
  const schemas = actions.flatMap((action) => {
    return action.alternatives.map((alternative) => schema(action, alternative, context));
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
        block = packBlock(listInstances(byPredicate.get(fluent?.predicate) ?? [], values, context));
        known.set(anchor, block);
      }
      return block;
    },
  };
}

/** Whether instance `index` of the block is possible now. */
export function isOpen(block: Block, index: number, bits: Uint32Array): boolean {
  return isMet(block.demands, block.demandStarts[index] as number, block.demandStarts[index + 1] as number, bits);
}

interface Instance {
  readonly command: string;
  readonly action: Action;
  readonly values: readonly number[];
  readonly demands: readonly number[];
}

/** Every instance of the schemas, in the order of their commands. */
function listInstances(schemas: readonly Schema[], anchorValues: readonly number[], context: TextContext): Instance[] {
  const instances: Instance[] = [];
  for (const entry of schemas) {
    const { action, alternative } = entry;
    const given = Array.from(alternative.variables, () => -1);
    const agrees = (entry.anchor?.terms ?? []).every((term, index) => {
      const value = anchorValues[index] as number;
      if (!("slot" in term)) return context.entities.find(term.constant) === value;
      const earlier = given[term.slot];
      given[term.slot] = value;
      return earlier === -1 || earlier === value;
    });
    if (!agrees) continue;
    const fill = prepare(alternative, entry.bound, context);
    fill(given, (binding, demands) => {
      if (entry.mayChangeNothing && changesNothing(entry, binding, context)) return;
      const values = Array.from(binding.subarray(0, action.parameters.length));
      instances.push({ command: entry.command(values), action, values, demands: demands.slice() });
    });
  }
  return instances.sort((left, right) => (left.command < right.command ? -1 : left.command > right.command ? 1 : 0));
}

/** Apart from the search above, whose lists would otherwise live as long as the block. */
function packBlock(instances: readonly Instance[]): Block {
  const [values, valueStarts] = pack(instances.map((instance) => instance.values));
  const [demands, demandStarts] = pack(instances.map((instance) => instance.demands));
  const commands = instances.map(({ command }) => command);
  const actions = instances.map(({ action }) => action);
  return { commands, actions, values, valueStarts, demands, demandStarts, watchers: lazyWatch(demands, demandStarts) };
}

function lazyWatch(demands: Int32Array, starts: Int32Array): Watching {
  let watching: Watching | undefined;
  return (fact) => {
    watching ??= watch(demands, starts);
    return watching(fact);
  };
}

function schema(action: Action, alternative: Alternative, context: TextContext): Schema {
  const { literals } = alternative;
  const anchor = literals.find(({ positive, predicate }) => positive && context.space.fluents.has(predicate));
  const bound = new Set((anchor?.terms ?? []).flatMap((term) => ("slot" in term ? [term.slot] : [])));
  const asked = new Set(literals.filter(({ positive }) => positive).map(({ predicate }) => predicate));
  const mayChangeNothing = action.effects.every(
    ({ literal, when }) => when === undefined && (!literal.positive || asked.has(literal.predicate)),
  );
  return {
    action,
    alternative,
    anchor,
    mayChangeNothing,
    bound,
    command: commandWriter(action, context),
  };
}

/**
 * The original planner drops an action that by its own conditions leaves everything as it is; hence no command leads
 * to the place where the agent already stands.
 */
function changesNothing({ action, alternative }: Schema, binding: Int32Array, context: TextContext): boolean {
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

function byAnchor(schemas: readonly Schema[]): Map<string | undefined, Schema[]> {
  const groups = new Map<string | undefined, Schema[]>();
  for (const entry of schemas) {
    const key = entry.anchor?.predicate;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return groups;
}
