/** A strategy in the registry: its name card, its options, and how it is made. The contract itself is the engine's. */
import type { MethodInfo } from "limbeck-base/base/method-info";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { awaitWork, badAnswer, callPart, withOverrides } from "limbeck-base/base/parts/contain";
import { kindOfValue, madePart, type PartKind } from "limbeck-base/base/parts/part";
import type { Json } from "limbeck-base/base/json";
import type { Scope, Strategy, StrategyNeed } from "../walk/line/strategy.ts";
import type { Effect } from "./effect.ts";

export type { Scope, Strategy, StrategyNeed, Walk } from "../walk/line/strategy.ts";

export interface StrategyDefinition<Options extends OptionTable = OptionTable> {
  readonly info: MethodInfo;
  /** What it cannot do without; checked before any work. Default: nothing. */
  readonly needs: readonly StrategyNeed[];
  /** Whether it lives on tasks that come again: a training then has a pool of them by default. Default: no. */
  readonly repeats?: boolean;
  /** By what it is known that it did something. Default: not measured. */
  readonly effect?: Effect;
  readonly options: Options;
  create(options: OptionValues<Options>): Strategy;
}

/** A strategy with what its definition says of it. */
export type ReadyStrategy = Strategy & {
  readonly needs?: readonly StrategyNeed[];
  readonly effect?: Effect | undefined;
};

/** A strategy that remembers one value between rollouts, which `save` keeps by this name. */
export function remembering<Kept>(
  name: string,
  start: Kept,
  run: (scope: Scope, kept: Kept) => Promise<Kept>,
): Strategy {
  let kept = start;
  return {
    run: async (scope) => {
      kept = await run(scope, kept);
    },
    save: () => ({ [name]: kept as unknown as Json }),
    load: (state) => {
      kept = state[name] as unknown as Kept;
    },
  };
}

const STRATEGY: PartKind<StrategyDefinition> = {
  kind: "strategy",
  maker: "defineStrategy",
  functions: ["create"],
  guard: (definition, home) => ({
    ...definition,
    create: (options) => {
      const strategy = callPart(home, "create", () => definition.create(options));
      if (typeof strategy?.run !== "function") {
        throw badAnswer(home, "create", `it gave ${kindOfValue(strategy)} without a function "run"`);
      }
      return withOverrides(strategy, { run: (scope) => awaitWork(home, "run", () => strategy.run(scope)) });
    },
  }),
};

/**
 * Makes a strategy: which episodes are walked, and where they branch.
 *
 * @example
 * const pairs = defineStrategy({
 *   info: { title: "Pairs", meaning: "Two episodes of every task.", paper: "Our own", confidence: "practice", formula: [], departures: [] },
 *   options: {},
 *   create: () => ({
 *     run: async (scope) => {
 *       await scope.each(scope.tasks, async (own, task) => {
 *         for (const member of [0, 1]) await (await own.open(task, member))?.advance();
 *       });
 *     },
 *   }),
 * });
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, strategy: pairs.create({}) });
 * console.log(trajectories.length); // 4
 */
export function defineStrategy<const Options extends OptionTable>(
  definition: Omit<StrategyDefinition<Options>, "needs"> & Partial<Pick<StrategyDefinition, "needs">>,
): StrategyDefinition<Options> {
  const made: StrategyDefinition<Options> = { needs: [], ...definition };
  madePart(made as unknown as StrategyDefinition, STRATEGY);
  return made;
}
