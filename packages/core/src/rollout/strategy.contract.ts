/**
 * The contract suite of strategies: registers one test per promise with any runner that has `describe` and `test`.
 *
 *   import { describe, test } from "vitest";
 *   import { strategyContract } from "limbeck/testing";
 *   strategyContract({ name: "mine", create: () => mine.create({ size: 4 }), runner: { describe, test } });
 */
import {
  checkBudgets,
  checkCancel,
  checkFailures,
  checkForestOf,
  checkMemory,
  checkSeeds,
  checkTokens,
  type StrategyCheckOptions,
} from "./check-strategy.ts";

/** What vitest, jest, mocha's `it` and `node:test` have in common. */
interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
}

export interface StrategyContractOptions extends StrategyCheckOptions {
  readonly runner: Runner;
}

const PROMISES: Readonly<Record<string, (options: StrategyCheckOptions) => Promise<void>>> = {
  "the forest is valid, every sampled token is in one step, and nothing stays open": checkForestOf,
  "every token that was sampled is stored, or kept for the next rollout": checkTokens,
  "one seed gives one forest whatever the concurrency": checkSeeds,
  "budgets are kept, and shared out in the same way whatever the concurrency": checkBudgets,
  "cancelled in the middle it leaves a valid store and nothing open": checkCancel,
  "a failing world costs trajectories, never the rollout": checkFailures,
  "what it remembers survives a file": checkMemory,
};

/**
 * Registers the suite.
 *
 * @example
 * import { createStrategy } from "limbeck/search";
 *
 * const tests: (() => Promise<void>)[] = [];
 * const runner = { describe: (_: string, body: () => void) => body(), test: (_: string, body: () => Promise<void>) => tests.push(body) };
 * strategyContract({ name: "group", create: () => createStrategy("group", { size: 2 }), tasks: 2, runner });
 * for (const one of tests) await one();
 * console.log(tests.length); // 7
 */
export function strategyContract({ runner, ...options }: StrategyContractOptions): void {
  runner.describe(`${options.name} keeps the contract of strategies`, () => {
    for (const [title, check] of Object.entries(PROMISES)) runner.test(title, () => check(options));
  });
}

/**
 * The same in one call, without a runner.
 *
 * @example
 * import { createStrategy } from "limbeck/search";
 *
 * console.log(await checkStrategy({ name: "group", create: () => createStrategy("group", { size: 2 }), tasks: 2 })); // undefined
 */
export async function checkStrategy(options: StrategyCheckOptions): Promise<void> {
  for (const check of Object.values(PROMISES)) await check(options);
}
