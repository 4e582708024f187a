/** How a chat model is asked what a program asks, in the program's own messages, tools and settings. */
import type { OwnRequest } from "../../env/env.ts";
import { writeOwnAnswer } from "../../env/own-answer.ts";
import type { TextSampled, TextSampleOptions } from "../../policy/index.ts";
import type { Message } from "../../trajectory/index.ts";

interface SaidSoFar {
  /** The request before this one. */
  readonly asked: OwnRequest | undefined;
  /** The conversation with the model. */
  readonly heard: readonly Message[];
  /** What the world says; after a refused answer, why. */
  readonly observation: string;
}

/** What the model has not heard yet; `isNew` where the request does not go on from what it has heard. */
export function freshOf(
  request: OwnRequest,
  { asked, heard, observation }: SaidSoFar,
): { readonly fresh: readonly Message[]; readonly isNew: boolean } {
  if (asked !== undefined && request.messages === asked.messages) {
    const calls = heard.at(-1)?.toolCalls ?? [];
    const told = calls.map(({ id }): Message => ({ role: "tool", toolCallId: id, content: observation }));
    return { fresh: told.length > 0 ? told : [{ role: "user", content: observation }], isNew: false };
  }
  const goesOn =
    heard.length > 0 &&
    heard.length < request.messages.length &&
    heard.every((message, at) => isSame(message, request.messages[at]));
  return { fresh: goesOn ? request.messages.slice(heard.length) : request.messages, isNew: !goesOn };
}

/** Programs repeat a reply without its thoughts, and with its arguments written anew; its calls have ids. */
function isSame(one: Message, other: Message | undefined): boolean {
  const keyOf = ({ role, content, toolCallId, toolCalls = [] }: Message): string =>
    JSON.stringify([role, toolCallId, toolCalls.length > 0 ? toolCalls.map(({ id }) => id) : content]);
  return other !== undefined && keyOf(one) === keyOf(other);
}

/** What stands in a text beside what the world says, wherever it was put; nothing where the text is another altogether. */
export function addedTo(observation: string, text: string): string {
  const said = observation.trim();
  const shorter = Math.min(said.length, text.length);
  let [before, after] = [0, 0];
  while (before < shorter && said[before] === text[before]) before += 1;
  while (after < shorter - before && said.at(-1 - after) === text.at(-1 - after)) after += 1;
  return before + after === said.length ? text.slice(before, text.length - after).trim() : "";
}

/** `isShort`: a budget leaves less than an answer may have. */
export function samplingOf({ tools, settings, maxTokens }: OwnRequest, isShort: boolean): Partial<TextSampleOptions> {
  const limit = maxTokens === undefined || isShort ? {} : { maxTokens };
  if (tools.length > 0) return { ...limit, tools, fields: settings };
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...fields } = settings;
  return { ...limit, fields };
}

/** The answer as the program's world reads it. */
export function answerTo({ text, toolCalls = [], ending }: TextSampled): string {
  const calls = toolCalls.map((call, at) => (call.id === "" ? { ...call, id: `call_${at + 1}` } : call));
  const cut = ending === "length" ? "length" : ending === "filtered" ? "content_filter" : undefined;
  return writeOwnAnswer({ text, calls, ...(cut === undefined ? {} : { cut }) });
}
