/**
 * The contract suite of searches: registers one test per promise with any runner that has `describe` and `test`.
 *
 *   import { describe, test } from "vitest";
 *   import { searchContract } from "limbeck/testing";
 *   searchContract({ name: "mine", create: () => mine.create({ width: 4 }), runner: { describe, test } });
 */
import {
  checkReplays,
  checkSameTree,
  checkSearchBudgets,
  checkSearchCancel,
  checkSearchFailures,
  checkTree,
  type SearchCheckOptions,
} from "./check-search.ts";

/** What vitest, jest, mocha's `it` and `node:test` have in common. */
interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
}

export interface SearchContractOptions extends SearchCheckOptions {
  readonly runner: Runner;
}

const PROMISES: Readonly<Record<string, (options: SearchCheckOptions) => Promise<void>>> = {
  "the tree is a valid forest, all it spent is booked, and it reaches the goal": checkTree,
  "one seed gives one tree whatever the concurrency": checkSameTree,
  "no budget is passed, and the last of it goes to the same whatever the concurrency": checkSearchBudgets,
  "cancelled in the middle it leaves a valid forest and nothing open": checkSearchCancel,
  "a failing world costs nodes, never the search": checkSearchFailures,
  "worlds that cannot be copied are replayed": checkReplays,
};

/**
 * Registers the suite.
 *
 * @example
 * import { createSearch } from "limbeck/search";
 *
 * const tests: (() => Promise<void>)[] = [];
 * const runner = { describe: (_: string, body: () => void) => body(), test: (_: string, body: () => Promise<void>) => tests.push(body) };
 * searchContract({ name: "best-of-n", create: () => createSearch("best-of-n", { n: 2 }), budgets: 1, runner });
 * for (const one of tests) await one();
 * console.log(tests.length); // 6
 */
export function searchContract({ runner, ...options }: SearchContractOptions): void {
  runner.describe(`${options.name} keeps the contract of searches`, () => {
    for (const [title, check] of Object.entries(PROMISES)) runner.test(title, () => check(options));
  });
}

/**
 * The same in one call, without a runner.
 *
 * @example
 * import { createSearch } from "limbeck/search";
 *
 * console.log(await checkSearch({ name: "best-of-n", create: () => createSearch("best-of-n", { n: 2 }), budgets: 1 })); // undefined
 */
export async function checkSearch(options: SearchCheckOptions): Promise<void> {
  for (const check of Object.values(PROMISES)) await check(options);
}
