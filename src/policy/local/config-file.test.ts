import { expect, test } from "vitest";
import { tinyConfig } from "../../../test/support/tiny-model.ts";
import { configJson, parseConfig, type JsonObject } from "./config-file.ts";

const llama: JsonObject = {
  architectures: ["LlamaForCausalLM"],
  vocab_size: 100,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 64,
};

test("a configuration becomes JSON and itself again; what it does not know is kept", () => {
  const json = configJson(tinyConfig, { bos_token_id: 3, dtype: "bfloat16", hidden_size: 999 });
  expect(json).toMatchObject({ bos_token_id: 3, hidden_size: 16, architectures: ["Qwen3ForCausalLM"] });
  expect(json).not.toHaveProperty("dtype");
  expect(parseConfig(json, "x")).toEqual(tinyConfig);
  const plain = { ...tinyConfig, form: "llama" as const, tiedEmbeddings: false };
  expect(parseConfig(configJson(plain), "x")).toEqual(plain);
});

test("what is left out has the value that transformers gives it", () => {
  expect(parseConfig(llama, "x")).toEqual({
    form: "llama",
    vocabularySize: 100,
    hiddenSize: 32,
    layers: 2,
    heads: 4,
    keyValueHeads: 4,
    headSize: 8,
    intermediateSize: 64,
    contextLength: 2_048,
    ropeTheta: 10_000,
    normEpsilon: 1e-6,
    tiedEmbeddings: false,
  });
  expect(parseConfig({ ...llama, architectures: ["Qwen3ForCausalLM"] }, "x").headSize).toBe(128);
});

test("rotary settings are read where old and new transformers write them", () => {
  expect(parseConfig({ ...llama, rope_theta: 5e5 }, "x").ropeTheta).toBe(5e5);
  const rope = { rope_type: "default", rope_theta: 1e6 };
  expect(parseConfig({ ...llama, rope_parameters: rope }, "x").ropeTheta).toBe(1e6);
  expect(parseConfig({ ...llama, rope_scaling: null }, "x").ropeTheta).toBe(10_000);
});

test.each<[JsonObject, string]>([
  [{ architectures: ["GPT2LMHeadModel"] }, 'x: the architecture is "GPT2LMHeadModel"; this engine runs'],
  [{ architectures: undefined, model_type: "mamba" }, 'the architecture is "mamba"'],
  [{ architectures: ["toString"] }, 'the architecture is "toString"'],
  [{ vocab_size: "many" }, '"vocab_size" is "many"; it must be a whole number'],
  [{ hidden_size: undefined }, '"hidden_size" is missing'],
  [{ num_key_value_heads: 3 }, "a divisor of the 4 attention heads"],
  [{ head_dim: 7 }, "even"],
  [{ hidden_act: "gelu" }, '"hidden_act" is'],
  [{ attention_bias: 1 }, '"attention_bias" is 1; it must be true or false'],
  [{ rope_scaling: { rope_type: "yarn", factor: 4 } }, '"rope_scaling" is'],
  [{ rope_parameters: { rope_type: "llama3", rope_theta: 1 } }, '"low_freq_factor" is missing'],
  [{ layer_types: ["full_attention", "sliding_attention"] }, '"layer_types" is'],
  [{ quantization_config: { bits: 4 } }, "must be absent"],
  [{ rope_theta: -1 }, '"rope_theta" is'],
  [{ rms_norm_eps: Number.NaN }, '"rms_norm_eps" is'],
])("%j is refused by name", (change, message) => {
  expect(() => parseConfig({ ...llama, ...change }, "x")).toThrow(message);
});
