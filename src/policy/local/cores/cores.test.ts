import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { createRng } from "../../../base/index.ts";
import { policyContract } from "../../policy.contract.ts";
import { createLocalPolicy, type LocalOptions, type LocalPolicy } from "../local-policy.ts";
import type { ModelConfig } from "../model-config.ts";
import { createWeights, initialise } from "../weights.ts";

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

function create(options: LocalOptions): LocalPolicy {
  const weights = createWeights(config);
  initialise(weights, config, createRng("cores"));
  return createLocalPolicy(config, weights, { budgetTokens: 64, ...options });
}

/** What is promised of any policy: one copy here; `cores.system.test.ts` has copies on threads. */
describe.each([1])("%d cores", (cores) => {
  let shared: LocalPolicy;
  beforeAll(() => {
    shared = create({ cores });
  });
  afterAll(() => shared.close());
  policyContract({
    name: "a policy",
    policy: async () => ({ ...shared, close: async () => undefined }),
    vocabularySize: config.vocabularySize,
    promptLengths: [1, 9, 34, 5, 17, 40].slice(0, tries(3, 6)),
    layers: ["samples", "scores"],
    runner: { describe, test },
  });
});

test("numbers that make no sense, a draft model and draft heads are refused by name", () => {
  expect(() => create({ cores: 0 })).toThrow(
    "Option cores of a local policy is 0; it takes a whole number at least 1, at most 256.",
  );
  expect(() => create({ cores: 2, draft: "model" })).toThrow("neither a draft model");
  expect(() => create({ cores: 2, draft: "heads" })).toThrow("nor draft heads");
});
