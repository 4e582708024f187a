/**
 * The answer of a chat model to what a program asked in its own words. It becomes an action, as every decision does, so that it
 * can be recorded and given again.
 */
import { parseObject } from "limbeck-base/base/json";
import type { ToolCall } from "limbeck-base/trajectory/trajectory";

/** An answer: words, calls, and why it ended where that was neither. */
export interface OwnAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly cut?: "length" | "content_filter";
}

/** Plain text where that can be read only one way, else JSON. */
export function writeOwnAnswer({ text, calls, cut }: OwnAnswer): string {
  const isPlain = text.trim() !== "" && !/^\s*(?:[{[`]|<tool_call>)/.test(text) && !text.includes("<tool_call>");
  if (calls.length === 0 && cut === undefined && isPlain) return text;
  return JSON.stringify({ content: text, tool_calls: calls, ...(cut === undefined ? {} : { finish_reason: cut }) });
}

/** Undefined where the action is written in another way. */
export function readOwnAnswer(action: string): OwnAnswer | undefined {
  const { content, tool_calls: calls, finish_reason: cut, ...rest } = parseObject(action) ?? {};
  if (typeof content !== "string" || !Array.isArray(calls) || Object.keys(rest).length > 0) return undefined;
  if (!calls.every(isCall)) return undefined;
  return { text: content, calls, ...(cut === "length" || cut === "content_filter" ? { cut } : {}) };
}

function isCall(value: unknown): value is ToolCall {
  const {
    id,
    name,
    arguments: given,
  } = (typeof value === "object" && value !== null ? value : {}) as Partial<ToolCall>;
  return typeof id === "string" && typeof name === "string" && (typeof given === "string" || typeof given === "object");
}
