/**
 * Reading an action: a tool call or a message to the customer.
 *
 * A call is one JSON object with `name` and `arguments`, bare, in a code fence or between `<tool_call>` tags.
 * `respond` with `content` and any other text are messages. Text that begins as JSON but is none is a mistake, not a
 * message: a customer must never be sent broken calls.
 */
import { z } from "zod";
import { parseJson, type JsonObject } from "../base/json.ts";

export type Action =
  | { readonly kind: "call"; readonly name: string; readonly arguments: JsonObject }
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "malformed"; readonly reason: string };

const MAX_CHARACTERS = 200_000;
/** No tool takes more; a hundred thousand brackets would overflow the stack of a walk through them. */
const MAX_DEPTH = 20;
const OPEN_TAG = "<tool_call>";
const CLOSE_TAG = "</tool_call>";
const FORM = 'Write {"name": "…", "arguments": {…}} for a call, or plain text for a message.';

/** A record made from parsed JSON; keys such as "__proto__" stay plain data. */
const jsonObject = z.record(z.string(), z.json());
const CallForm = z.object({ name: z.string().min(1), arguments: z.union([jsonObject, z.string()]).optional() });

/**
 * What an agent's text does: it calls a tool, says something, or is neither.
 *
 * @example
 * console.log(parseAction('{"name":"get_user_details","arguments":{"user_id":"u1"}}').kind, parseAction("Welcome.").kind); // call message
 */
export function parseAction(action: string): Action {
  if (action.length > MAX_CHARACTERS) return malformed(`The action has ${action.length} characters; at most 200,000.`);
  const text = action.trim();
  const open = text.indexOf(OPEN_TAG);
  if (open >= 0) return tagged(text, open);
  const [bare] = callTexts(text);
  return bare === undefined ? message(text) : call(bare);
}

/**
 * The parts of a text that are meant as calls, whether they can be read or not: what stands between tags, or the whole where it begins as
 * JSON.
 *
 * @example
 * console.log(callTexts("<tool_call>{}</tool_call> and <tool_call>no</tool_call>"), callTexts("Hello.")); // [ "{}", "no" ] []
 */
export function callTexts(action: string): readonly string[] {
  if (action.length > MAX_CHARACTERS) return [];
  if (action.includes(OPEN_TAG)) {
    const parts = action.split(OPEN_TAG).slice(1);
    return parts.flatMap((part) => (part.includes(CLOSE_TAG) ? [part.slice(0, part.indexOf(CLOSE_TAG)).trim()] : []));
  }
  const bare = unfenced(action.trim());
  return /^[[{]/.test(bare) ? [bare] : [];
}

/**
 * Writes a call in the form `parseAction` reads.
 *
 * @example
 * console.log(callAction("get_user_details", { user_id: "u1" })); // {"name":"get_user_details","arguments":{"user_id":"u1"}}
 */
export function callAction(name: string, args: JsonObject): string {
  return JSON.stringify({ name, arguments: args });
}

function tagged(text: string, open: number): Action {
  const close = text.indexOf(CLOSE_TAG, open);
  if (close < 0) return malformed(`A ${OPEN_TAG} is not closed.`);
  if (text.includes(OPEN_TAG, close)) return malformed("Only one call at a time.");
  return call(text.slice(open + OPEN_TAG.length, close).trim());
}

function unfenced(text: string): string {
  if (!text.startsWith("```") || !text.endsWith("```") || text.length < 6) return text;
  return text
    .slice(3, -3)
    .replace(/^json\b/, "")
    .trim();
}

function call(text: string): Action {
  const parsed = CallForm.safeParse(json(text));
  if (!parsed.success) return malformed(`This is not a call. ${FORM}`);
  const { name, arguments: given = {} } = parsed.data;
  const args = typeof given === "string" ? jsonObject.safeParse(json(given)).data : given;
  if (args === undefined) return malformed(`The arguments of "${name.slice(0, 80)}" are not a JSON object. ${FORM}`);
  if (name !== "respond") return { kind: "call", name, arguments: args };
  if (typeof args["content"] === "string") return message(args["content"].trim());
  return malformed('"respond" needs "content", the text for the customer.');
}

function message(text: string): Action {
  // Letters or digits of any script; a bare control sequence is not a message.
  return /[\p{L}\p{N}]/u.test(text) ? { kind: "message", text } : malformed(`There is nothing to say or do. ${FORM}`);
}

function malformed(reason: string): Action {
  return { kind: "malformed", reason };
}

function json(text: string): unknown {
  return depthOf(text) > MAX_DEPTH ? undefined : parseJson(text);
}

/** How deep brackets nest, outside of strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{" || character === "[") deepest = Math.max(deepest, (depth += 1));
    else if (character === "}" || character === "]") depth -= 1;
  }
  return deepest;
}
