/**
 * Policy: whatever samples, scores and learns: the contracts, chat models, policies in plain code, and weights on a
 * trainer.
 */

// The contracts
export type { Conversation, Sampled, Scorer, ScoreRow, RowStatistics, Learner } from "limbeck-policy/policy/policy";
export type { ObjectiveResult, Statistics, TrainRow } from "limbeck-policy/policy/objective";
export { createSchedule } from "limbeck-policy/policy/schedule";

// Chat models
export { openChatModel, type ChatModel } from "limbeck-policy/policy/chat/chat-model";
export { createChatPolicy } from "limbeck-policy/policy/chat/chat-policy";
export { chatServerFrom } from "limbeck-policy/policy/chat/server";

// Policies in plain code
export { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
export { createTabularPolicy, randomTable } from "limbeck-policy/policy/tabular/tabular-policy";
export { byteTokenizer, wordTokenizer, plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";

// Weights on a trainer
export { connectTinker } from "limbeck-policy/policy/tinker/client";
export { openTinkerPolicy } from "limbeck-policy/policy/tinker/tinker-policy";
