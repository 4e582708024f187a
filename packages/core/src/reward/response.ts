/** What the agent wrote at a step. */
import type { JsonObject } from "limbeck-base/base/json";
import type { Step } from "limbeck-base/trajectory/trajectory";

/** The reply where the agent was a chat, with its reasoning if asked for; else the action. */
export function responseText(step: Step, withReasoning = false): string {
  const { reply } = step;
  if (reply === undefined) return step.action;
  const { content, reasoning } = reply;
  const text = typeof content === "string" ? content : content.map(partText).join("");
  return withReasoning && reasoning !== undefined ? `${reasoning}\n${text}` : text;
}

function partText(part: JsonObject): string {
  return typeof part["text"] === "string" ? part["text"] : "";
}
