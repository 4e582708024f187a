/** What GGUF calls a model's tensors, and what Hugging Face folders call them. */

const WHOLE: Readonly<Record<string, string>> = {
  token_embd: "model.embed_tokens",
  output_norm: "model.norm",
  output: "lm_head",
};

const IN_LAYER: Readonly<Record<string, string>> = {
  attn_norm: "input_layernorm",
  ffn_norm: "post_attention_layernorm",
  attn_q: "self_attn.q_proj",
  attn_k: "self_attn.k_proj",
  attn_v: "self_attn.v_proj",
  attn_output: "self_attn.o_proj",
  attn_q_norm: "self_attn.q_norm",
  attn_k_norm: "self_attn.k_norm",
  ffn_gate: "mlp.gate_proj",
  ffn_up: "mlp.up_proj",
  ffn_down: "mlp.down_proj",
};

/** What differs in an architecture. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gemma3: {
    post_attention_norm: "post_attention_layernorm",
    ffn_norm: "pre_feedforward_layernorm",
    post_ffw_norm: "post_feedforward_layernorm",
  },
  // Gate and up are one matrix, under the name of the second.
  phi3: { attn_qkv: "self_attn.qkv_proj", ffn_up: "mlp.gate_up_proj" },
};

/** A name that no table has stays as it is: whoever compares it with a form's parameters will name it. */
export function plainName(name: string, architecture: string): string {
  const found = /^(?:blk\.(\d+)\.)?([a-z_]+)\.(weight|bias)$/.exec(name);
  const [, layer, stem = "", ending] = found ?? [];
  const own = Object.hasOwn(OTHERWISE, architecture) ? OTHERWISE[architecture] : {};
  const table = layer === undefined ? WHOLE : { ...IN_LAYER, ...own };
  if (!Object.hasOwn(table, stem)) return name;
  return `${layer === undefined ? "" : `model.layers.${Number(layer)}.`}${table[stem]}.${ending}`;
}
