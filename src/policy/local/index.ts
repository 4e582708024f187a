/** The local policy: a language model in this process, from a Hugging Face folder, that samples, scores and learns. */
export { readAdapter, saveAdapter } from "./adapter-files.ts";
export { bundledModel, bundledModelFor, bundledNames } from "./bundled-model.ts";
export { bundledModels, bundledStart, type BundledModelName, type BundledPurpose } from "../starts.ts";
export { trainBytePair, type BytePairOptions } from "./byte-pair.ts";
export { createChatDialect } from "./chat-dialect.ts";
export type { Chat, ChatMessage, ChatOptions, EncodedChat } from "./chat-template.ts";
export type { SaveOptions } from "./checkpoint.ts";
export { saveDraftHeads, type DraftHeadsParts } from "./draft/draft-heads.ts";
export type { HeadLoss } from "./draft/draft-heads.ts";
export { trainDraftHeads, type DraftHeadsOptions, type TrainedHeads } from "./draft/train-heads.ts";
export type { FormName, RopeScaling } from "./forms.ts";
export { headShapes, type HeadName } from "./heads.ts";
export { readLlama2cTokenizer } from "./llama2c.ts";
export { readLlama2c } from "./llama2c.ts";
export { loadTokenizer } from "./load-tokenizer.ts";
export type { LocalModel, ModelSaveOptions } from "./local-model.ts";
export type { LocalOptions, LocalPolicy } from "./local-policy.ts";
export { createAdapter, mergeAdapter, type Adapter, type AdapterOptions } from "./lora.ts";
export type { LoraTarget, ModelConfig } from "./model-config.ts";
export {
  createModel,
  openModel,
  requireTokenizer,
  wrapModel,
  type CreateModelOptions,
  type ModelOptions,
  type OpenModelOptions,
} from "./open-model.ts";
export { sample } from "../sample.operation.ts";
export { score } from "../score.operation.ts";
export { createTokenizer, type EncodeOptions, type Tokenizer, type TokenizerFiles } from "./tokenizer.ts";
export { copyWeights, type Weights } from "./weights.ts";
