/** Chat models behind a server or the AI SDK: judges, reflections, and policies of texts. */
export type { ChatBudget, ChatCounters, ChatPrices } from "./account.ts";
export type { ChatClock } from "./retry.ts";
export {
  openChatModel,
  type ChatCompletion,
  type ChatModel,
  type ChatModelOptions,
  type CompleteOptions,
} from "./chat-model.ts";
export { createChatPolicy, type ChatPolicyOptions } from "./chat-policy.ts";

export type { SdkLanguageModel } from "./language-model.ts";
export type { SpeakingPolicy } from "./policy-endpoint.ts";
export type { ChatRetryOptions } from "./retry.ts";
export { chatServerFrom, type ChatServer } from "./server.ts";
