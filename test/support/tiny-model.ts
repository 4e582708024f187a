/** A random model of a few thousand parameters, for tests of everything that runs one. */
import { createRng } from "../../src/base/index.ts";
import { parameterShapes, type ModelConfig } from "../../src/policy/local/model-config.ts";

export const tinyConfig: ModelConfig = {
  form: "qwen3",
  vocabularySize: 29,
  hiddenSize: 16,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 8,
  intermediateSize: 24,
  contextLength: 160,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
};

/** Weights large enough that the model has opinions. */
export function tinyWeights(config: ModelConfig = tinyConfig, seed = 1): Record<string, Float32Array> {
  const rng = createRng(seed);
  return Object.fromEntries(
    [...parameterShapes(config)].map(([name, shape]) => {
      const count = shape.reduce((product, size) => product * size, 1);
      const scale = shape.length === 1 ? 0.2 : 0.5;
      return [name, Float32Array.from({ length: count }, () => rng.normal() * scale + (shape.length === 1 ? 1 : 0))];
    }),
  );
}
