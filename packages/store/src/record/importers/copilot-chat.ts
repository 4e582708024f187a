/**
 * Copilot Chat in VS Code: a session is a document of version 3, or a log of changes to it (0 the whole, 1 set, 2 push,
 * 3 delete). Read from VS Code's public source; the rounds of calls are what the extension keeps in `result.metadata`.
 */
import { join } from "node:path";
import { scored } from "limbeck-base/trajectory/score";
import { type JsonObject, isObject, type Json } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { Draft } from "./draft.ts";
import { cutReplies } from "./replies.ts";
import type { Places } from "../../store/formats/source.ts";
import { sessionSource, type FileReader } from "./session-source.ts";
import { objectsOf } from "limbeck-recorder/lines";
import {
  callOf,
  contentOf,
  numberField,
  objectField,
  replyFrom,
  restOf,
  resultText,
  textField,
  timeField,
  toolMessage,
} from "./fields.ts";

const FORMAT = "copilot-chat";

export const copilotChat = sessionSource({
  id: FORMAT,
  title: "Copilot Chat (VS Code)",
  versions:
    "session version 3, as a document and as a log of changes, from the public source of VS Code (047238f, 2026); not tried with a file that the program wrote",
  reads: "requests, rounds of calls with their results, answers, models, votes as rewards, cancelled requests",
  leaves: "tokens and costs, which are not kept there, and the state of edited files",
  folders: userFolders,
  files: /(?:^|\/)(?:chatSessions|emptyWindowChatSessions)\/[^/]+\.jsonl?$|^[^/]+\.jsonl?$/,
  sign: /^\s*\{"kind"\s*:\s*0\s*,\s*"v"\s*:|"(?:requesterUsername|responderUsername)"\s*:/,
  open: () => new CopilotReader(),
});

function userFolders({ home, env, platform }: Places): string[] {
  const root =
    platform === "darwin"
      ? join(home, "Library", "Application Support")
      : platform === "win32"
        ? (env["APPDATA"] ?? join(home, "AppData", "Roaming"))
        : (env["XDG_CONFIG_HOME"] ?? join(home, ".config"));
  return ["Code", "Code - Insiders", "VSCodium"].flatMap((name) =>
    ["workspaceStorage", "globalStorage"].map((folder) => join(root, name, "User", folder)),
  );
}

type Change = Json[] | { [name: string]: Json };

class CopilotReader implements FileReader {
  #state: Json | undefined;

  add(record: JsonObject): readonly Draft[] {
    if (typeof record["kind"] !== "number") return [readSession(record)];
    const path = Array.isArray(record["k"]) ? (record["k"] as readonly Json[]) : [];
    if (record["kind"] === 0) this.#state = structuredClone(record["v"]);
    else if (this.#state === undefined) throw new TypeError("a log of changes begins with the whole");
    else if (record["kind"] === 1) change(this.#state, path, () => record["v"]);
    else if (record["kind"] === 2) change(this.#state, path, (before) => pushed(before, record));
    else if (record["kind"] === 3) change(this.#state, path, () => undefined);
    else throw new TypeError(`a change is of kind 0 to 3, not ${record["kind"]}`);
    return [];
  }

  end(): readonly Draft[] {
    return isObject(this.#state) && Array.isArray(this.#state["requests"]) ? [readSession(this.#state)] : [];
  }
}

function pushed(before: Json | undefined, record: JsonObject): Json {
  const list = Array.isArray(before) ? (before as Json[]) : [];
  const at = record["i"];
  const kept = typeof at === "number" && at >= 0 && at < list.length ? list.slice(0, at) : list;
  return [...kept, ...(Array.isArray(record["v"]) ? (record["v"] as Json[]) : [])];
}

/** The value at a path, replaced; a path that leads nowhere is a fault. */
function change(state: Json, path: readonly Json[], next: (before: Json | undefined) => Json | undefined): void {
  let at = state as Change;
  for (const key of path.slice(0, -1)) {
    const own = typeof key === "string" || typeof key === "number" ? String(key) : "";
    const inner = (at as Record<string, Json>)[own];
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(at, own))
      throw new TypeError("a change leads nowhere");
    at = inner as Change;
  }
  const last = path.at(-1);
  if (typeof last !== "string" && typeof last !== "number") throw new TypeError("a change has no path");
  const own = Object.hasOwn(at, last) ? (at as Record<string, Json>)[last] : undefined;
  if (Array.isArray(at) && !(typeof last === "number" && last >= 0 && last <= at.length))
    throw new TypeError("a change leads past the end of a list");
  const value = next(own);
  if (value === undefined) Reflect.deleteProperty(at, last);
  else Object.defineProperty(at, last, { value, writable: true, enumerable: true, configurable: true });
}

function readSession(session: JsonObject): Draft {
  const id = textField(session["sessionId"]);
  if (id === undefined || !Array.isArray(session["requests"]))
    throw new TypeError('a session has "sessionId" and "requests"');
  const draft = new Draft(FORMAT, id, FORMAT);
  draft.facts.startedAt = timeField(session["creationDate"]);
  draft.facts.title = textField(session["customTitle"]);
  draft.facts.version = `session ${numberField(session["version"]) ?? 1}`;
  draft.kept = restOf(session, "sessionId", "requests", "customTitle", "version") ?? {};
  for (const request of objectsOf(session["requests"])) sayRequest(draft, request);
  return draft;
}

function sayRequest(draft: Draft, request: JsonObject): void {
  const at = timeField(request["timestamp"]);
  const model = textField(request["modelId"]);
  const asked = objectField(request["message"]);
  const kept = restOf(request, "message", "response", "result", "timestamp", "modelId", "vote") ?? {};
  const inner = asked === undefined ? undefined : restOf(asked, "text");
  const content = textField(asked?.["text"]) ?? (typeof request["message"] === "string" ? request["message"] : "");
  draft.say({
    message: {
      role: "user",
      content,
      extra: { [FORMAT]: { ...kept, ...(inner === undefined ? {} : { message: inner }) } },
    },
    at,
  });
  const result = objectField(request["result"]);
  const metadata = objectField(result?.["metadata"]);
  const rounds = objectsOf(metadata?.["toolCallRounds"]);
  const results = objectField(metadata?.["toolCallResults"]) ?? {};
  const shown = objectsOf(request["response"]);
  for (const round of rounds) sayRound(draft, round, results, model);
  const about = result === undefined ? {} : { result: withoutRounds(result, metadata) };
  const last = rounds.at(-1);
  const spoken = last !== undefined && objectsOf(last["toolCalls"]).length === 0;
  if (rounds.length === 0) {
    for (const [index, parts] of cutReplies(shown, (part) => shownText([part]) !== "", isShownCall).entries()) {
      const extra = { [FORMAT]: { ...(index === 0 ? about : {}), response: parts } };
      draft.say({ message: { ...shownReply(parts), extra }, model });
      sayShownResults(draft, parts);
    }
  } else if (!spoken) {
    const extra = { [FORMAT]: { ...about, response: shown } };
    draft.say({ message: { role: "assistant", content: shownText(shown), extra }, model });
  } else draft.note({ [FORMAT]: { ...about, response: shown } });
  const error = textField(objectField(result?.["errorDetails"])?.["message"]);
  if (error !== undefined) draft.note({ error });
  const vote = request["vote"];
  if ((vote === 0 || vote === 1) && draft.steps > 0) {
    const reason = textField(request["voteDownReason"]);
    draft.rewards.push({
      name: "vote",
      source: "user",
      score: scored(vote),
      step: draft.steps - 1,
      ...(reason === undefined ? {} : { comment: reason }),
    });
  }
}

function withoutRounds(result: JsonObject, metadata: JsonObject | undefined): JsonObject {
  const rest = metadata === undefined ? undefined : restOf(metadata, "toolCallRounds", "toolCallResults");
  return { ...result, ...(metadata === undefined ? {} : { metadata: rest ?? {} }) };
}

function sayRound(draft: Draft, round: JsonObject, results: JsonObject, model: string | undefined): void {
  const calls = objectsOf(round["toolCalls"]).map((call) => callOf(call["id"], call["name"], call["arguments"]));
  const thinking = objectField(round["thinking"])?.["text"];
  const thoughts = Array.isArray(thinking)
    ? thinking.filter((text) => typeof text === "string").join("\n")
    : textField(thinking);
  const extra = { [FORMAT]: restOf(round, "response", "toolCalls") ?? {} };
  const message = replyFrom(textField(round["response"]) ?? "", thoughts ? [thoughts] : [], calls, extra);
  if (typeof round["summary"] === "string") draft.compaction({ summary: round["summary"] });
  draft.say({ message, model, at: timeField(round["timestamp"]) });
  for (const { id, name } of calls) {
    const given = Object.hasOwn(results, id) ? objectField(results[id]) : undefined;
    if (given === undefined) continue;
    const content = objectsOf(given["content"])
      .map((part) => resultText(part["value"] ?? part["text"]))
      .join("\n");
    const error = /^(?:ERROR|Error)\b/.test(content);
    const refused = /user (?:cancelled|rejected|declined)|chose to skip/i.test(content.slice(0, 300));
    const kept = { [FORMAT]: restOf(given, "content") ?? {} };
    draft.say({ message: toolMessage(content, { id, name }, { error, refused }, kept) });
  }
}

function shownText(parts: readonly JsonObject[]): string {
  return parts
    .flatMap((part) =>
      part["kind"] === undefined || part["kind"] === "markdownContent"
        ? (textField(part["value"]) ?? textField(objectField(part["content"])?.["value"]) ?? [])
        : [],
    )
    .join("");
}

function isShownCall(part: JsonObject): boolean {
  return part["kind"] === "toolInvocationSerialized";
}

/** Where the extension kept no rounds: what the panel showed. */
function shownReply(parts: readonly JsonObject[]): Message {
  const calls = parts.filter(isShownCall);
  const toolCalls = calls.map((part) => {
    const given = objectField(part["toolSpecificData"]) ?? objectField(part["resultDetails"])?.["input"];
    return callOf(part["toolCallId"], part["toolId"], given);
  });
  return replyFrom(contentOf([{ type: "text", text: shownText(parts) }]), [], toolCalls);
}

function sayShownResults(draft: Draft, parts: readonly JsonObject[]): void {
  for (const part of parts) {
    if (!isShownCall(part) || part["isComplete"] === false) continue;
    const said = part["pastTenseMessage"] ?? part["invocationMessage"];
    const content = textField(said) ?? textField(objectField(said)?.["value"]) ?? resultText(part["resultDetails"]);
    const confirmed = objectField(part["isConfirmed"])?.["type"];
    const refused = part["isConfirmed"] === false || confirmed === 0 || confirmed === 5;
    draft.say({ message: toolMessage(content, { id: textField(part["toolCallId"]) ?? "" }, { refused }) });
  }
}
