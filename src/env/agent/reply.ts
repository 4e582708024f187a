/** An action as what a program is told, or why it cannot be. */
import { readOwnAnswer } from "../own-answer.ts";
import { parseAction } from "../tools/action.ts";
import { fitsForm } from "./answer-form.ts";
import type { ChatQuestion, ChatReply } from "./question.ts";

/** A call of a tool that was not offered, or an answer in another form, is never passed on: programs are made for models that make none. */
export function replyOf(
  action: string,
  { tools, mustCall, form }: Pick<ChatQuestion, "tools" | "mustCall" | "form">,
  repliesBefore: number,
): ChatReply | { readonly reason: string } {
  const own = readOwnAnswer(action);
  const parsed = tools.length === 0 || own !== undefined ? undefined : parseAction(action);
  const calls =
    parsed?.kind === "call"
      ? [{ id: `call_${repliesBefore + 1}`, name: parsed.name, arguments: parsed.arguments }]
      : (own?.calls ?? []);
  const names = tools.map((one) => one.name).join(", ");
  const isOffered = calls.every((call) => tools.some((one) => one.name === call.name));
  if (calls.length > 0 && isOffered) return { text: "", ...own, calls };
  if (mustCall) return { reason: `A tool must be called; there are ${names}.` };
  const strange = calls.find((call) => tools.every((one) => one.name !== call.name));
  if (form !== undefined && strange === undefined) return fitsForm(form, own?.text ?? action);
  if (form !== undefined && own === undefined) return fitsForm(form, action);
  if (parsed?.kind === "malformed") return { reason: parsed.reason };
  if (strange !== undefined) return { reason: `There is no tool "${strange.name.slice(0, 80)}"; there are ${names}.` };
  const text = own?.text ?? (parsed?.kind === "message" ? parsed.text : action);
  return text.trim() === "" ? { reason: "There is nothing to say." } : { ...own, text, calls };
}
