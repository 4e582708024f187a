/**
 * The contract suite of policies: registers one test per promise with any runner that has `describe` and `test`.
 *
 *   import { describe, test } from "vitest";
 *   import { policyContract } from "limbeck/testing";
 *   policyContract({ name: "my policy", policy: openMine, vocabularySize: 1024, runner: { describe, test } });
 *
 * Without a runner, `checkPolicy` does the same in one call.
 */
import type { Runner } from "limbeck-base/base/test-runner";
import {
  checkBadObjective,
  checkBatching,
  checkDiscard,
  checkFork,
  checkLimits,
  checkLossFalls,
  checkRefusals,
  checkSaveLoad,
  checkScores,
  checkSeeds,
  checkShape,
  checkTopTokens,
  type CheckedPolicy,
  type PolicyCheckOptions,
} from "./check.ts";

export type PolicyLayer = "samples" | "scores" | "learns" | "saves";

export interface PolicyContractOptions extends PolicyCheckOptions {
  readonly name: string;
  /** Makes a fresh policy; called for every promise, because learning changes it. It is closed afterwards. */
  readonly policy: () => Promise<CheckedPolicy>;
  /** What it can do. Default: everything. */
  readonly layers?: readonly PolicyLayer[];
}

interface Promised {
  readonly title: string;
  readonly layer: PolicyLayer;
  readonly run: (policy: CheckedPolicy, options: PolicyCheckOptions) => Promise<void>;
}

const PROMISES: readonly Promised[] = [
  { layer: "samples", title: "responses are whole, and the conversation holds them", run: checkShape },
  { layer: "samples", title: "the same seed and turns give the same tokens and numbers", run: checkSeeds },
  { layer: "samples", title: "batching does not change what a conversation says", run: checkBatching },
  { layer: "samples", title: "a fork and its original never influence each other", run: checkFork },
  { layer: "samples", title: "stop sequences end a response, an allowed set confines it", run: checkLimits },
  { layer: "samples", title: "an empty prompt, unknown tokens and impossible options are refused", run: checkRefusals },
  { layer: "scores", title: "sampled log-probabilities equal scored ones", run: checkScores },
  { layer: "scores", title: "the most probable tokens are those of the whole vocabulary", run: checkTopTokens },
  { layer: "learns", title: "the loss falls", run: checkLossFalls },
  { layer: "learns", title: "discarded gradients move nothing", run: checkDiscard },
  { layer: "learns", title: "an objective of the wrong length is refused and changes nothing", run: checkBadObjective },
  { layer: "saves", title: "save and load are the identity, and training resumes exactly", run: checkSaveLoad },
];

const LAYERS: readonly PolicyLayer[] = ["samples", "scores", "learns", "saves"];

/**
 * Registers the suite.
 *
 * @example
 * import { createTabularPolicy, randomTable } from "limbeck/policy";
 *
 * const tests: (() => Promise<void>)[] = [];
 * const runner = { describe: (_: string, body: () => void) => body(), test: (_: string, body: () => Promise<void>) => tests.push(body) };
 * const probabilities = randomTable({ states: 8, vocabularySize: 8, seed: 1 });
 * const policy = () => Promise.resolve(createTabularPolicy({ probabilities }));
 * policyContract({ name: "table", policy, vocabularySize: 8, runner });
 * for (const one of tests) await one();
 * console.log(tests.length); // 12
 */
export function policyContract(options: PolicyContractOptions & { readonly runner: Runner }): void {
  const { runner, name } = options;
  runner.describe(`${name} keeps the policy contract`, () => {
    for (const promise of promisesOf(options)) runner.test(promise.title, () => keep(promise, options));
  });
}

/**
 * Runs every check without a test runner; throws on the first promise that is broken, else says what was checked.
 *
 * @example
 * import { createTabularPolicy, randomTable } from "limbeck/policy";
 *
 * const probabilities = randomTable({ states: 8, vocabularySize: 8, seed: 1 });
 * const policy = () => Promise.resolve(createTabularPolicy({ probabilities }));
 * const { checked } = await checkPolicy({ name: "table", policy, vocabularySize: 8 });
 * console.log(checked.includes("sampled log-probabilities equal scored ones")); // true
 */
export async function checkPolicy(options: PolicyContractOptions): Promise<{ checked: string[] }> {
  const promises = promisesOf(options);
  for (const promise of promises) await keep(promise, options);
  return { checked: promises.map(({ title }) => title) };
}

function promisesOf({ layers = LAYERS }: PolicyContractOptions): readonly Promised[] {
  return PROMISES.filter(({ layer }) => layers.includes(layer));
}

async function keep({ run }: Promised, options: PolicyContractOptions): Promise<void> {
  const policy = await options.policy();
  try {
    await run(policy, options);
  } finally {
    await policy.close();
  }
}
