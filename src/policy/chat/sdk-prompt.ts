/** Messages as the AI SDK wants them. */
import { EngineError } from "../../base/index.ts";
import type { Message } from "../../trajectory/index.ts";

export type SdkMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: { type: "text"; text: string }[] }
  | { role: "assistant"; content: SdkPart[] }
  | { role: "tool"; content: SdkResult[] };
type SdkPart =
  | { type: "text"; text: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; input: unknown };
interface SdkResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text"; value: string };
}

/** A tool's result names the tool, which our messages need not; it is found by the call it answers. */
export function sdkMessages(messages: readonly Message[]): SdkMessage[] {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  const names = new Map(calls.map((call) => [call.id, call.name]));
  return messages.map((message) => TURNS[message.role](message, plainText(message), names));
}

type Turn = (message: Message, text: string, toolNames: ReadonlyMap<string, string>) => SdkMessage;

const TURNS: Readonly<Record<Message["role"], Turn>> = {
  system: (_, text) => ({ role: "system", content: text }),
  user: (_, text) => ({ role: "user", content: [{ type: "text", text }] }),
  assistant: ({ toolCalls = [] }, text) => {
    const calls = toolCalls.map((call): SdkPart => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.name,
      input: call.arguments,
    }));
    return { role: "assistant", content: text === "" ? calls : [{ type: "text", text }, ...calls] };
  },
  tool: ({ toolCallId = "", name }, text, toolNames) => {
    const toolName = name ?? toolNames.get(toolCallId) ?? "tool";
    return {
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: text } }],
    };
  },
};

function plainText({ content, role }: Message): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      if (typeof part["text"] === "string") return part["text"];
      throw new EngineError(
        "bad-input",
        `A ${role} message holds a part that is not text; give the server's address to send it as it is.`,
      );
    })
    .join("");
}
