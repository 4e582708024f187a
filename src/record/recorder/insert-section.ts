/** Puts a section at the end of a request's system prompt, in each interface's own shape. What was given stays as it is. */
import { anthropicMessages } from "./anthropic.ts";
import { isObject, type JsonObject } from "./lines.ts";
import { openaiChat } from "./openai-chat.ts";
import type { Shape } from "./shape.ts";

/** A list of messages: the last of the leading system messages gets it, or a new one is put in front. */
export function intoMessages(messages: readonly unknown[], section: string): readonly unknown[] {
  const leading = messages.findIndex((message) => !isSystem(message));
  const at = (leading === -1 ? messages.length : leading) - 1;
  const system = messages[at];
  if (!isObject(system)) return [{ role: "system", content: section }, ...messages];
  return messages.with(at, { ...system, content: intoContent(system["content"], section) });
}

/** Undefined where the body is not of a shape that has a place for it. */
export function intoBody(
  shape: Shape,
  body: JsonObject,
  section: string,
): Readonly<Record<string, unknown>> | undefined {
  if (shape === openaiChat) {
    const { messages } = body;
    return Array.isArray(messages) ? { ...body, messages: intoMessages(messages, section) } : undefined;
  }
  const field = shape === anthropicMessages ? "system" : "instructions";
  return { ...body, [field]: intoContent(body[field], section) };
}

function isSystem(message: unknown): boolean {
  return isObject(message) && (message["role"] === "system" || message["role"] === "developer");
}

/** A block of its own where there are blocks: marks for the provider's cache stay where they are. */
function intoContent(content: unknown, section: string): unknown {
  if (Array.isArray(content)) return [...(content as readonly unknown[]), { type: "text", text: section }];
  return typeof content === "string" && content !== "" ? `${content}\n\n${section}` : section;
}
