/** The calls of a step: those of a chat's reply, else those written in the action (`tool-action.ts` has the forms). */
import { canonicalJson, isObject, parseJson, type Json } from "../base/json.ts";
import { callTexts } from "./tool-action.ts";
import type { Step, ToolCall } from "./trajectory.ts";

export type MadeCall = Pick<ToolCall, "name" | "arguments">;

/**
 * Calls with a name; arguments that are no object stay text. `respond` is a message, no call.
 *
 * @example
 * const step = { action: '<tool_call>{"name":"find","arguments":{"key":"a"}}</tool_call>' };
 * console.log(callsOf(step).length, callsOf({ action: "Welcome." }).length); // 1 0
 */
export function callsOf({ action, reply }: Pick<Step, "action" | "reply">): readonly MadeCall[] {
  const chat = reply?.toolCalls ?? [];
  return chat.length > 0 ? chat : callTexts(action).flatMap(written);
}

/** How many calls a step tried: those that cannot be read count too. */
export function triedCalls(step: Pick<Step, "action" | "reply">): number {
  const chat = step.reply?.toolCalls ?? [];
  if (chat.length > 0) return chat.length;
  return callTexts(step.action).reduce(
    (total, text) => total + (parseJson(text) === undefined ? 1 : written(text).length),
    0,
  );
}

function written(text: string): readonly MadeCall[] {
  const parsed = parseJson(text);
  const list = Array.isArray(parsed) ? (parsed as readonly Json[]) : [parsed as Json];
  const calls = list.map(toCall);
  return calls.every((call) => call !== undefined) ? calls.filter(({ name }) => name !== "respond") : [];
}

function toCall(value: Json | undefined): MadeCall | undefined {
  if (!isObject(value) || typeof value["name"] !== "string" || value["name"] === "") return undefined;
  const typed = value["arguments"] ?? {};
  // Programs write arguments as an object or as its text.
  const given = typeof typed === "string" ? (parseJson(typed) ?? typed) : typed;
  return { name: value["name"], arguments: isObject(given) ? given : canonicalJson(given) };
}
