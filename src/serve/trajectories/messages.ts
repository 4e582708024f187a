/** Messages of a chat as a page shows them: text, never pictures or files. */
import type { Message } from "../../trajectory/index.ts";
import type { ChatMessage } from "../api/trajectory.ts";
import { longText } from "./long-text.ts";

export function messageOf({ role, content, reasoning, toolCalls = [] }: Message): ChatMessage {
  return {
    role,
    content: longText(typeof content === "string" ? content : content.map(partText).join("\n")),
    reasoning: reasoning === undefined ? null : longText(reasoning),
    toolCalls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      name,
      arguments: longText(typeof given === "string" ? given : JSON.stringify(given, null, 1)),
    })),
  };
}

function partText(part: Readonly<Record<string, unknown>>): string {
  return typeof part["text"] === "string" ? part["text"] : JSON.stringify(part);
}
