/** Policies in plain code, for tests and cheap agents: a table of known probabilities, and a script. */
export { byteTokenizer, plainDialect, wordTokenizer, type ScriptTokenizer } from "./script-tokenizer.ts";
export {
  createScriptedPolicy,
  type Script,
  type ScriptedOptions,
  type ScriptedPolicy,
  type ScriptedReply,
  type ScriptTurn,
} from "./scripted-policy.ts";
export { createTabularPolicy, randomTable, type TabularOptions, type TabularPolicy } from "./tabular-policy.ts";
export type { ReplyDelay, ReplySize } from "./talk.ts";
