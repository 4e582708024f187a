/** Messages of a chat as a page shows them: text, never pictures or files. */
import type { JsonObject, Message, Step, Trajectory } from "../../trajectory/index.ts";
import type { ChatMessage } from "../api/trajectory.ts";
import { longText } from "./long-text.ts";

/** Names of the calls of a trajectory by their ids, so that a result can say whose it is. */
export type CallNames = ReadonlyMap<string, string>;

export function messageOf(message: Message, names: CallNames): ChatMessage {
  const { role, reasoning, toolCalls = [], toolCallId } = message;
  return {
    role,
    content: longText(contentText(message)),
    reasoning: reasoning === undefined ? null : longText(reasoning),
    toolCalls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      name,
      arguments: longText(argumentText(given)),
    })),
    tool: role === "tool" ? (message.name ?? names.get(toolCallId ?? "") ?? null) : null,
    error: isError(message),
  };
}

export function callNames({ steps }: Pick<Trajectory, "steps">): CallNames {
  const said = steps.flatMap(({ messages = [], reply }) => [...messages, ...(reply === undefined ? [] : [reply])]);
  return new Map(said.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)));
}

/** Content and calls as one text, to search in. */
export function messageText(message: Message): string {
  const calls = (message.toolCalls ?? []).map(({ name, arguments: given }) => `${name} ${argumentText(given)}`);
  return [contentText(message), ...calls].join("\n");
}

/** Whether the step was told that a call of the one before it went wrong. */
export function hasError({ messages = [] }: Step): boolean {
  return messages.some(isError);
}

/** Importers write down what a format says of a call's outcome. */
function isError({ role, extra }: Message): boolean {
  const result = extra?.["result"];
  return role === "tool" && typeof result === "object" && result !== null && (result as JsonObject)["error"] === true;
}

function contentText({ content }: Message): string {
  return typeof content === "string" ? content : content.map(partText).join("\n");
}

function argumentText(given: JsonObject | string): string {
  return typeof given === "string" ? given : JSON.stringify(given, null, 1);
}

function partText(part: Readonly<Record<string, unknown>>): string {
  return typeof part["text"] === "string" ? part["text"] : JSON.stringify(part);
}
