/** Models and batches that the benches of the local policy share. */
import { availableParallelism } from "node:os";
import { createRng } from "../../packages/base/src/base/rng.ts";
import {
  createLocalPolicy,
  type LocalOptions,
  type LocalPolicy,
} from "../../packages/policy/src/policy/local/local-policy.ts";
import type { ModelConfig } from "../../packages/policy/src/policy/local/model-config.ts";
import { createWeights, initialise } from "../../packages/policy/src/policy/local/weights.ts";
import type { Objective, TrainRow } from "../../packages/policy/src/policy/objective.ts";

/** Both sides of a comparison use as many. */
export const THREADS = Math.min(2, availableParallelism());

const common = {
  form: "qwen3",
  contextLength: 2048,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
} as const;

/** About 0.9, 5 and 15 million parameters. */
export const models = {
  "0.9M": {
    ...common,
    vocabularySize: 1024,
    hiddenSize: 128,
    layers: 4,
    heads: 4,
    keyValueHeads: 4,
    headSize: 32,
    intermediateSize: 352,
  },
  "5M": {
    ...common,
    vocabularySize: 1024,
    hiddenSize: 256,
    layers: 6,
    heads: 8,
    keyValueHeads: 8,
    headSize: 32,
    intermediateSize: 704,
  },
  "15M": {
    ...common,
    vocabularySize: 2048,
    hiddenSize: 384,
    layers: 8,
    heads: 6,
    keyValueHeads: 6,
    headSize: 64,
    intermediateSize: 1024,
  },
} as const satisfies Record<string, ModelConfig>;

export type ModelName = keyof typeof models;

export function createPolicy(name: ModelName, options: LocalOptions = {}): LocalPolicy {
  const config = models[name];
  const weights = createWeights(config);
  initialise(weights, config, createRng("bench"));
  return createLocalPolicy(config, weights, { threads: THREADS, budgetTokens: 4096, ...options });
}

export function drawTokens(name: ModelName, length: number, seed: string): Int32Array {
  const rng = createRng(seed);
  return Int32Array.from({ length }, () => rng.int(models[name].vocabularySize));
}

/** Every token is trained on. One more than `length`, because the last token is only foretold. */
export function trainRows(name: ModelName, rows: number, length: number): TrainRow[] {
  return Array.from({ length: rows }, (_, row) => ({
    ids: drawTokens(name, length + 1, `row ${row}`),
    mask: new Uint8Array(length + 1).fill(1),
  }));
}

/** Mean negative log-probability of the masked tokens. */
export const meanLoss: Objective = {
  needs: ["logprob"],
  constantWeights: true,
  compute: ({ logprob = [] }, _frozen, rows) => {
    const count = rows.reduce((total, { mask }) => total + mask.subarray(1).reduce((sum, on) => sum + on, 0), 0);
    const weights = rows.map(({ mask }) => Float64Array.from(mask, (on, at) => (at === 0 ? 0 : -on / count)));
    let loss = 0;
    weights.forEach((row, at) => row.forEach((weight, token) => (loss += weight * (logprob[at]?.[token] ?? 0))));
    return { loss, weights: { logprob: weights } };
  },
};
