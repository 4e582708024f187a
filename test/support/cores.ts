/** A policy whose work is shared by so many cores, over a small random model. */
import { afterAll, beforeAll, describe, test } from "vitest";
import { createRng } from "../../packages/base/src/base/rng.ts";
import {
  createLocalPolicy,
  type LocalOptions,
  type LocalPolicy,
} from "../../packages/policy/src/policy/local/local-policy.ts";
import type { ModelConfig } from "../../packages/policy/src/policy/local/model-config.ts";
import { createWeights, initialise } from "../../packages/policy/src/policy/local/weights.ts";
import { policyContract } from "../../packages/policy/src/policy/policy.contract.ts";

const config: ModelConfig = {
  form: "qwen3",
  vocabularySize: 48,
  hiddenSize: 32,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 8,
  intermediateSize: 48,
  contextLength: 256,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
};

export const { vocabularySize } = config;

export function create(options: LocalOptions): LocalPolicy {
  const weights = createWeights(config);
  initialise(weights, config, createRng("cores"));
  return createLocalPolicy(config, weights, { budgetTokens: 64, ...options });
}

/** Registers what is promised of any policy, tried with the first so many of six prompts. */
export function promisesOfCores(cores: number, prompts: number): void {
  describe(`${cores} cores`, () => {
    let shared: LocalPolicy;
    beforeAll(() => {
      shared = create({ cores });
    });
    afterAll(() => shared.close());
    policyContract({
      name: "a policy",
      policy: async () => ({ ...shared, close: async () => undefined }),
      vocabularySize,
      promptLengths: [1, 9, 34, 5, 17, 40].slice(0, prompts),
      layers: ["samples", "scores"],
      runner: { describe, test },
    });
  });
}
