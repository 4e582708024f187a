/** The registry entry of a value, and what values may be given. */
import type { MethodInfo, OptionTable, OptionValues } from "../../base/index.ts";
import type { SearchNode } from "../../walk/tree/node.ts";
import type { OutcomeScorer } from "../../walk/judge.ts";
import type { Value } from "../search.ts";

/** Where states are scored by a model of their own. */
export type Critic = (
  nodes: readonly SearchNode[],
  options: { readonly signal: AbortSignal },
) => Promise<readonly (number | undefined)[]>;

/** Says whether an episode so far is right, from 0 to 1; undefined while nobody can say. */
export type Verifier = (node: SearchNode) => number | undefined | Promise<number | undefined>;

/** What values may need beyond the scope. */
export interface ValueGivens {
  readonly critic?: Critic;
  readonly verifier?: Verifier;
  /** A trained scorer, for the critic. */
  readonly outcomeScorer?: OutcomeScorer;
}

export interface ValueDefinition<Options extends OptionTable = OptionTable> {
  readonly info: MethodInfo;
  readonly options: Options;
  create(options: OptionValues<Options>, givens: ValueGivens): Value;
}

/**
 * Makes a value: what an unfinished episode is worth to a search.
 *
 * @example
 * const depth = defineValue({
 *   info: { title: "Depth", meaning: "The deeper, the better.", paper: "Our own", confidence: "practice", formula: [], departures: [] },
 *   options: {},
 *   create: () => ({ estimate: (nodes) => Promise.resolve(nodes.map(({ depth: steps }) => Math.min(1, steps / 10))) }),
 * });
 * const found = await search({ env: "household", policy: "wanderer", search: "mcts", value: depth.create({}, {}), budget: { modelCalls: 10, envSteps: 20 }, tasks: 1 });
 * console.log(found.outcomes.length); // 1
 */
export function defineValue<const Options extends OptionTable>(
  definition: ValueDefinition<Options>,
): ValueDefinition<Options> {
  return definition;
}

/** Within the bounds that all values keep. */
export function within01(value: number): number {
  return Math.min(1, Math.max(0, value));
}
