/**
 * The forms of decoders that run here, one entry each: what differs from the others (biases, norms, activation, rotary
 * positions, windows) and what transformers assumes where `config.json` is silent. Graphs and files read the entry; none
 * of them asks for a form by its name. A new form is a new entry, and a case in `research/bench/parity/make.py`.
 */

/** Matrices of a layer, under the names that Hugging Face folders use. */
export const MATRIX_NAMES = [
  "q_proj",
  "k_proj",
  "v_proj",
  "qkv_proj",
  "o_proj",
  "gate_proj",
  "up_proj",
  "gate_up_proj",
  "down_proj",
] as const;
export type MatrixName = (typeof MATRIX_NAMES)[number];

export interface Form {
  /** Its class in transformers, and the short name of it; `config.json` has both. */
  readonly architecture: string;
  readonly modelType: string;
  /** Matrices that have a bias. */
  readonly biases: readonly MatrixName[];
  /** Settings of `config.json` that give more matrices a bias. */
  readonly biasSwitches: Readonly<Record<string, readonly MatrixName[]>>;
  /** Queries, keys and values are one matrix, and so are gate and up. */
  readonly fused: boolean;
  /** Each head's query and key is normed before it is turned by its position. */
  readonly headNorms: boolean;
  /** Norms of a layer. Those "after" stand before the result is added to the stream. */
  readonly norms: {
    readonly beforeAttention: string;
    readonly afterAttention?: string;
    readonly beforeFeedForward: string;
    readonly afterFeedForward?: string;
  };
  /** A norm multiplies by this plus its weight. */
  readonly normOffset: 0 | 1;
  readonly activation: keyof typeof ACTIVATIONS;
  /** Where `config.json` names the activation. */
  readonly activationKey: "hidden_act" | "hidden_activation";
  /** Embeddings are multiplied by the root of the hidden size where they enter the stream. */
  readonly scaledEmbeddings: boolean;
  /** Which layers see a window only: those that `config.json` switches on, all where it names a size, or a pattern. */
  readonly windows: "none" | "switched" | "all" | "pattern";
  /** Ways to stretch rotary positions, besides none. */
  readonly ropeScalings: readonly RopeScaling["type"][];
  readonly defaults: FormDefaults;
}

/** Names of activations in `config.json`; the first is written. */
export const ACTIVATIONS = { silu: ["silu", "swish"], "gelu-tanh": ["gelu_pytorch_tanh"] } as const;

/** What transformers assumes where `config.json` is silent. */
interface FormDefaults {
  readonly contextLength: number;
  readonly normEpsilon: number;
  readonly ropeTheta: number;
  readonly tiedEmbeddings: boolean;
  /** Default: the hidden size divided by the heads. */
  readonly headSize?: number;
  /** Default: as many as there are heads. */
  readonly keyValueHeads?: number;
  readonly windowSize?: number;
  /** Rotary base of layers with a window, where that is another one. */
  readonly localRopeTheta?: number;
  /** Scores are divided by the root of this, where it is not the head size. */
  readonly queryScalar?: number;
}

/** Rotary positions stretched beyond the length that a model was first trained for. `factor` is by how much. */
export type RopeScaling =
  | { readonly type: "linear"; readonly factor: number }
  /** Llama 3.1 and later: slow turns are slowed down by the factor, fast ones stay, those between are blended. */
  | {
      readonly type: "llama3";
      readonly factor: number;
      readonly lowFrequency: number;
      readonly highFrequency: number;
      readonly originalContext: number;
    }
  /**
   * Phi-3 with a long context: every rate has a divisor of its own, one list for texts within the original context and one
   * for longer texts. Rates that change with the length of a text do not go with a cache, so the first list alone is
   * used, and the context ends where the second would begin. `fullContext` is what `config.json` promises.
   */
  | {
      readonly type: "longrope";
      readonly shortFactors: readonly number[];
      readonly longFactors: readonly number[];
      readonly originalContext: number;
      readonly fullContext: number;
      /** Multiplies sines and cosines. */
      readonly attentionFactor: number;
    };

const ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"] as const;
const FEED_FORWARD = ["gate_proj", "up_proj", "down_proj"] as const;

const llama: Form = {
  architecture: "LlamaForCausalLM",
  modelType: "llama",
  biases: [],
  biasSwitches: { attention_bias: ATTENTION, mlp_bias: FEED_FORWARD },
  fused: false,
  headNorms: false,
  norms: { beforeAttention: "input_layernorm", beforeFeedForward: "post_attention_layernorm" },
  normOffset: 0,
  activation: "silu",
  activationKey: "hidden_act",
  scaledEmbeddings: false,
  windows: "none",
  ropeScalings: ["linear", "llama3"],
  defaults: { contextLength: 2_048, normEpsilon: 1e-6, ropeTheta: 10_000, tiedEmbeddings: false },
};

export const FORMS = {
  /** Llama 2 and 3, TinyLlama, SmolLM2 and others of the same layout. */
  llama,
  mistral: {
    ...llama,
    architecture: "MistralForCausalLM",
    modelType: "mistral",
    biasSwitches: {},
    windows: "all",
    defaults: { ...llama.defaults, contextLength: 131_072, keyValueHeads: 8, windowSize: 4_096 },
  },
  /** Also Qwen2.5. */
  qwen2: {
    ...llama,
    architecture: "Qwen2ForCausalLM",
    modelType: "qwen2",
    biases: ["q_proj", "k_proj", "v_proj"],
    biasSwitches: {},
    windows: "switched",
    ropeScalings: ["linear"],
    defaults: { ...llama.defaults, contextLength: 32_768, windowSize: 4_096 },
  },
  qwen3: {
    ...llama,
    architecture: "Qwen3ForCausalLM",
    modelType: "qwen3",
    biasSwitches: { attention_bias: ATTENTION },
    headNorms: true,
    windows: "switched",
    ropeScalings: ["linear"],
    defaults: { ...llama.defaults, contextLength: 32_768, headSize: 128, windowSize: 4_096 },
  },
  /** The text models of Gemma 3. */
  gemma3: {
    architecture: "Gemma3ForCausalLM",
    modelType: "gemma3_text",
    biases: [],
    biasSwitches: { attention_bias: ATTENTION },
    fused: false,
    headNorms: true,
    norms: {
      beforeAttention: "input_layernorm",
      afterAttention: "post_attention_layernorm",
      beforeFeedForward: "pre_feedforward_layernorm",
      afterFeedForward: "post_feedforward_layernorm",
    },
    normOffset: 1,
    activation: "gelu-tanh",
    activationKey: "hidden_activation",
    scaledEmbeddings: true,
    windows: "pattern",
    ropeScalings: ["linear"],
    defaults: {
      contextLength: 131_072,
      normEpsilon: 1e-6,
      ropeTheta: 1_000_000,
      tiedEmbeddings: true,
      headSize: 256,
      keyValueHeads: 4,
      windowSize: 4_096,
      localRopeTheta: 10_000,
      queryScalar: 256,
    },
  },
  phi3: {
    ...llama,
    architecture: "Phi3ForCausalLM",
    modelType: "phi3",
    biasSwitches: {},
    fused: true,
    windows: "all",
    ropeScalings: ["longrope"],
    defaults: { ...llama.defaults, contextLength: 4_096, normEpsilon: 1e-5 },
  },
} as const satisfies Record<string, Form>;

export type FormName = keyof typeof FORMS;

/** Forms that are known and not carried: why, for the error that refuses them. */
export const REFUSED_FORMS: Readonly<Record<string, string>> = {
  Qwen3MoeForCausalLM:
    "its layers are mixtures of experts; a dense Qwen3 runs here, or a server can speak for it (--policy chat)",
  Qwen2MoeForCausalLM:
    "its layers are mixtures of experts; a dense Qwen2 runs here, or a server can speak for it (--policy chat)",
  MixtralForCausalLM:
    "its layers are mixtures of experts; Mistral runs here, or a server can speak for it (--policy chat)",
  Gemma2ForCausalLM:
    "it bends scores and logits (soft-capping), which Gemma 3 no longer does; use a Gemma 3 text model",
  Gemma3ForConditionalGeneration:
    "it also reads images; save its text part by itself (Gemma3ForCausalLM.from_pretrained(DIR).save_pretrained(OUT)), which runs here",
  SmolLM3ForCausalLM: "some of its layers have no positions; SmolLM2 runs here",
};
