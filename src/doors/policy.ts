/**
 * Policy: whatever samples, scores and learns: the contracts, chat models, policies in plain code, and weights on a
 * trainer.
 */

// The contracts
export type { Conversation, Sampled, Scorer, ScoreRow, RowStatistics, Learner } from "../policy/policy.ts";
export type { ObjectiveResult, Statistics, TrainRow } from "../policy/objective.ts";
export { createSchedule } from "../policy/schedule.ts";

// Chat models
export { openChatModel, type ChatModel } from "../policy/chat/chat-model.ts";
export { createChatPolicy } from "../policy/chat/chat-policy.ts";
export { chatServerFrom } from "../policy/chat/server.ts";

// Policies in plain code
export { createScriptedPolicy } from "../policy/tabular/scripted-policy.ts";
export { createTabularPolicy, randomTable } from "../policy/tabular/tabular-policy.ts";
export { byteTokenizer, wordTokenizer, plainDialect } from "../policy/tabular/script-tokenizer.ts";

// Weights on a trainer
export { connectTinker } from "../policy/tinker/client.ts";
export { openTinkerPolicy } from "../policy/tinker/tinker-policy.ts";
