/** A random model of a few thousand parameters, for tests of everything that runs one. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { FormName } from "../../packages/policy/src/policy/local/forms.ts";
import { parameterShapes, type ModelConfig } from "../../packages/policy/src/policy/local/model-config.ts";

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

/** One small model of every form, with what the form can have: windows shorter than the context, stretched positions. */
export const tinyForms: Readonly<Record<FormName | "llama3" | "biases", ModelConfig>> = {
  qwen3: tinyConfig,
  qwen2: { ...tinyConfig, form: "qwen2", window: { size: 20, layers: [1] } },
  llama: { ...tinyConfig, form: "llama", tiedEmbeddings: false },
  llama3: {
    ...tinyConfig,
    form: "llama",
    ropeScaling: { type: "llama3", factor: 8, lowFrequency: 1, highFrequency: 4, originalContext: 64 },
  },
  biases: {
    ...tinyConfig,
    form: "llama",
    biases: ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
  },
  mistral: { ...tinyConfig, form: "mistral", tiedEmbeddings: false, window: { size: 12, layers: [0, 1] } },
  gemma3: {
    ...tinyConfig,
    form: "gemma3",
    ropeTheta: 1_000_000,
    ropeScaling: { type: "linear", factor: 4 },
    window: { size: 10, layers: [0] },
    localRopeTheta: 10_000,
    queryScalar: 20,
  },
  phi3: {
    ...tinyConfig,
    form: "phi3",
    tiedEmbeddings: false,
    window: { size: 40, layers: [0, 1] },
    ropeScaling: {
      type: "longrope",
      shortFactors: [1, 1.2, 1.5, 2],
      longFactors: [1, 2, 4, 8],
      originalContext: 160,
      fullContext: 640,
      attentionFactor: Math.sqrt(1 + Math.log(4) / Math.log(160)),
    },
  },
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
