/** What clients send, as schemas. Unknown fields are left out, as other servers do it. */
import { z } from "zod";

const name = z.string().regex(/^[A-Za-z0-9_-]{1,255}$/);
const modelId = z.string().min(1).max(255);
const sequence = z.int().nullish();

const chunk = z.object({ type: z.literal("encoded_text").optional(), tokens: z.array(z.int()) });
const prompt = z.object({ chunks: z.array(chunk).min(1) });
const tensor = z.object({ data: z.array(z.number()) });

export const datumSchema = z
  .object({
    model_input: prompt,
    loss_fn_inputs: z.object({
      target_tokens: tensor,
      weights: tensor.optional(),
      logprobs: tensor.optional(),
      advantages: tensor.optional(),
    }),
  })
  .superRefine(({ model_input, loss_fn_inputs }, context) => {
    const length = model_input.chunks.reduce((total, { tokens }) => total + tokens.length, 0);
    if (length === 0) context.addIssue({ code: "custom", message: "The input has no tokens.", path: ["model_input"] });
    for (const [key, value] of Object.entries(loss_fn_inputs)) {
      if (value === undefined || value.data.length === length) continue;
      context.addIssue({
        code: "custom",
        message: `It has ${value.data.length} entries; the input has ${length} tokens.`,
        path: ["loss_fn_inputs", key],
      });
    }
  });
export type DatumRequest = z.infer<typeof datumSchema>;

const LOSS_KEYS = {
  cross_entropy: [],
  importance_sampling: [],
  ppo: ["clip_low_threshold", "clip_high_threshold"],
  cispo: ["clip_low_threshold", "clip_high_threshold"],
  dro: ["beta"],
} as const satisfies Record<string, readonly string[]>;
export type ServedLoss = keyof typeof LOSS_KEYS;

const pass = z
  .object({
    data: z.array(datumSchema).min(1),
    loss_fn: z.enum(Object.keys(LOSS_KEYS) as [ServedLoss, ...ServedLoss[]]),
    loss_fn_config: z.record(z.string(), z.number()).nullish(),
  })
  .superRefine(({ data, loss_fn, loss_fn_config }, context) => {
    const keys: readonly string[] = LOSS_KEYS[loss_fn];
    for (const key of Object.keys(loss_fn_config ?? {})) {
      if (keys.includes(key)) continue;
      const allowed = keys.length === 0 ? "none" : keys.join(", ");
      context.addIssue({ code: "custom", message: `${loss_fn} takes: ${allowed}.`, path: ["loss_fn_config", key] });
    }
    if (loss_fn === "cross_entropy") return;
    data.forEach(({ loss_fn_inputs }, at) => {
      for (const key of ["logprobs", "advantages"] as const) {
        if (loss_fn_inputs[key] !== undefined) continue;
        context.addIssue({ code: "custom", message: "Field required", path: ["data", at, "loss_fn_inputs", key] });
      }
    });
  });
export type PassRequest = z.infer<typeof pass>;

export const sessionRequest = z.object({
  tags: z.array(z.string()),
  user_metadata: z.record(z.string(), z.json()).nullish(),
  sdk_version: z.string(),
});
export const heartbeatRequest = z.object({ session_id: z.string() });
export const createModelRequest = z.object({
  session_id: z.string(),
  base_model: z.string(),
  lora_config: z.object({ rank: z.int().min(0), seed: z.int().nullish() }),
  user_metadata: z.record(z.string(), z.json()).nullish(),
});
export const modelRequest = z.object({ model_id: modelId });
export const forwardRequest = z.object({ model_id: modelId, forward_input: pass, seq_id: sequence });
export const forwardBackwardRequest = z.object({ model_id: modelId, forward_backward_input: pass, seq_id: sequence });
export const optimRequest = z.object({
  model_id: modelId,
  adam_params: z.object({
    learning_rate: z.number().min(0).default(1e-4),
    beta1: z.number().min(0).lt(1).default(0.9),
    beta2: z.number().min(0).lt(1).default(0.95),
    eps: z.number().positive().default(1e-12),
    weight_decay: z.number().min(0).default(0),
    grad_clip_norm: z.number().min(0).default(0),
  }),
  seq_id: sequence,
});
export const saveRequest = z.object({ model_id: modelId, path: name, seq_id: sequence });
export const samplerSaveRequest = z
  .object({ model_id: modelId, path: name.nullish(), sampling_session_seq_id: z.int().nullish(), seq_id: sequence })
  .refine(
    ({ path, sampling_session_seq_id }) => typeof path === "string" || typeof sampling_session_seq_id === "number",
    {
      message: "Give either a path, or sampling_session_seq_id and seq_id.",
    },
  );
export const loadRequest = z.object({
  model_id: modelId,
  path: z.string(),
  optimizer: z.boolean().default(true),
  seq_id: sequence,
});
export const weightsInfoRequest = z.object({ tinker_path: z.string() });
export const samplingSessionRequest = z
  .object({
    session_id: z.string(),
    sampling_session_seq_id: z.int(),
    base_model: z.string().nullish(),
    model_path: z.string().nullish(),
  })
  .refine(({ base_model, model_path }) => (typeof base_model === "string") !== (typeof model_path === "string"), {
    message: "Give exactly one of base_model and model_path.",
  });
export const futureRequest = z.object({ request_id: z.string() });

const word = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1);
const words = z.tuple([word, word, word, word]);
const sequences = z.array(z.array(z.int()).min(1));
const stopString = z.string().min(1).max(1_000);
const stopStrings = z.array(stopString).max(64);

export const sampleRequest = z
  .object({
    prompt,
    sampling_params: z.object({
      max_tokens: z.int().nullish(),
      seed: z.int().nullish(),
      temperature: z.number().min(0).default(1),
      top_k: z.int().default(-1),
      top_p: z.number().positive().max(1).default(1),
      stop: z.union([z.array(z.int()), stopStrings, stopString.transform((text) => [text])]).nullish(),
    }),
    num_samples: z.int().min(1).max(256).default(1),
    sampling_session_id: z.string().nullish(),
    seq_id: sequence,
    base_model: z.string().nullish(),
    model_path: z.string().nullish(),
    prompt_logprobs: z.boolean().nullish(),
    topk_prompt_logprobs: z.int().min(0).max(64).nullish(),
    limbeck: z
      .object({
        rng: z.object({ key: words, state: words }).optional(),
        allowed: sequences.optional(),
        stop: sequences.optional(),
        min_p: z.number().min(0).max(1).optional(),
      })
      .nullish(),
  })
  .superRefine((given, context) => {
    const sources = [given.base_model, given.model_path].filter((source) => typeof source === "string");
    const named = typeof given.sampling_session_id === "string";
    if (named && typeof given.seq_id !== "number") {
      context.addIssue({ code: "custom", message: "A sampling session needs a seq_id.", path: ["seq_id"] });
    }
    if (named ? sources.length > 0 : sources.length !== 1) {
      context.addIssue({
        code: "custom",
        message: "Give exactly one of sampling_session_id, base_model and model_path.",
        path: ["sampling_session_id"],
      });
    }
  });
export type SampleBody = z.infer<typeof sampleRequest>;
