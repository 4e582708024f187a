import { expect, test } from "vitest";
import { tinyConfig } from "../../../../../test/support/tiny-model.ts";
import { configJson, parseConfig, type JsonObject } from "./config-file.ts";
import type { ModelConfig } from "./model-config.ts";

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

const ofForm = (architecture: string, more: JsonObject = {}): ModelConfig =>
  parseConfig({ ...llama, architectures: [architecture], ...more }, "x");

test("forms have their own defaults where config.json is silent", () => {
  expect(ofForm("Qwen2ForCausalLM")).toMatchObject({ contextLength: 32_768, headSize: 8, tiedEmbeddings: false });
  expect(ofForm("Qwen2ForCausalLM", { sliding_window: 4096, use_sliding_window: false }).window).toBeUndefined();
  expect(ofForm("Phi3ForCausalLM")).toMatchObject({ contextLength: 4_096, normEpsilon: 1e-5 });
  expect(ofForm("Phi3ForCausalLM").window).toBeUndefined();
  expect(ofForm("MistralForCausalLM", { num_key_value_heads: 2 }).window).toEqual({ size: 4_096, layers: [0, 1] });
  expect(
    ofForm("MistralForCausalLM", { num_key_value_heads: 2, sliding_window: null, rope_theta: 1e6 }).window,
  ).toBeUndefined();
  // Every sixth layer of Gemma 3 sees everything; old files say it by a pattern.
  const gemma = { num_hidden_layers: 7, hidden_activation: "gelu_pytorch_tanh" };
  expect(ofForm("Gemma3ForCausalLM", gemma)).toMatchObject({
    headSize: 256,
    tiedEmbeddings: true,
    ropeTheta: 1_000_000,
    localRopeTheta: 10_000,
    queryScalar: 256,
    window: { size: 4_096, layers: [0, 1, 2, 3, 4, 6] },
  });
  expect(ofForm("Gemma3ForCausalLM", { ...gemma, sliding_window_pattern: 2 }).window?.layers).toEqual([0, 2, 4, 6]);
});

test("the context of stretched positions ends where other rates would begin", () => {
  const factors = { short_factor: [1, 1, 1, 1], long_factor: [2, 2, 2, 2] };
  const json = {
    max_position_embeddings: 131_072,
    original_max_position_embeddings: 4_096,
    rope_scaling: { type: "longrope", ...factors },
  };
  const config = ofForm("Phi3ForCausalLM", json);
  // Stretched 32 times: sqrt(1 + ln 32 / ln 4096) = sqrt(1 + 5 / 12) = 1.190238
  expect(config).toMatchObject({ contextLength: 4_096, ropeScaling: { fullContext: 131_072 } });
  expect(config.ropeScaling).toHaveProperty("attentionFactor", expect.closeTo(1.190_238, 6));
  expect(configJson(config)).toMatchObject({ ...json, rope_scaling: { type: "longrope", ...factors } });
});

test.each([
  ["Qwen3MoeForCausalLM", "mixtures of experts; a dense Qwen3 runs here"],
  ["Gemma3ForConditionalGeneration", "save its text part by itself"],
])("%s is refused with what could be done", (architecture, message) => {
  expect(() => ofForm(architecture)).toThrow(message);
});

test.each<[string, JsonObject, string]>([
  ["Gemma3ForCausalLM", { final_logit_softcapping: 30 }, '"final_logit_softcapping" is 30; it must be absent'],
  ["Phi3ForCausalLM", { partial_rotary_factor: 0.75 }, '"partial_rotary_factor" is 0.75; it must be 1'],
  ["Phi3ForCausalLM", { rope_scaling: { type: "longrope", short_factor: [1] } }, "a list of 4 numbers above 0"],
  ["Phi3ForCausalLM", { rope_scaling: { type: "linear", factor: 2 } }, '"longrope" in this form'],
  ["Qwen2ForCausalLM", { layer_types: ["chunked_attention"] }, '"full_attention" or "sliding_attention"'],
  ["MistralForCausalLM", { num_key_value_heads: 2, sliding_window: 0 }, '"sliding_window" is 0; it must be'],
])("%s with %j is refused by name", (architecture, change, message) => {
  expect(() => ofForm(architecture, change)).toThrow(message);
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
