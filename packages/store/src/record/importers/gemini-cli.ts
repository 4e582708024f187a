/**
 * Gemini CLI: JSON lines of messages, each written again when it changes, with `$set` for the session's own fields and `$rewindTo`
 * where the user went back; one document in older versions. Read from the program's public source and from files of 0.61.0.
 */
import { join } from "node:path";
import type { JsonObject } from "limbeck-base/base/json";
import { Draft } from "./draft.ts";
import { sessionSource, type FileReader } from "./session-source.ts";
import { objectsOf } from "limbeck-recorder/lines";
import {
  callOf,
  contentOf,
  objectField,
  replyFrom,
  restOf,
  resultText,
  stemOf,
  textField,
  timeField,
  toolMessage,
  usageFrom,
} from "./fields.ts";

const FORMAT = "gemini-cli";

export const geminiCli = sessionSource({
  id: FORMAT,
  title: "Gemini CLI",
  versions: "tried with files that 0.61.0 wrote; the one document of older versions from the public source",
  reads:
    "messages, thoughts, calls with their results, tokens, models, rewound prompts as branches, histories that were replaced by a shorter one",
  leaves: "the first versions of messages that were written again",
  folders: ({ home, env }) => [join(env["GEMINI_CLI_HOME"] ?? home, ".gemini", "tmp")],
  files: /(?:^|\/)chats\/(?:[^/]+\/)*[^/]*\.jsonl?$|^session-[^/]*\.jsonl?$/,
  sign: /"projectHash"\s*:/,
  open: (file) => new GeminiReader(file),
});

const INJECTED = /^\s*<(?:session_context|state_snapshot|hook_context)/;

interface Entry {
  record: JsonObject;
  readonly after: string | null;
}

class GeminiReader implements FileReader {
  readonly #draft: Draft;
  readonly #entries = new Map<string, Entry>();
  #header: JsonObject = {};
  #tip: string | null = null;
  #replaced = false;

  constructor(file: string) {
    this.#draft = new Draft(FORMAT, stemOf(file), FORMAT);
  }

  add(record: JsonObject): void {
    const change = objectField(record["$set"]);
    const back = record["$rewindTo"];
    if (typeof back === "string") this.#tip = this.#entries.get(back)?.after ?? null;
    else if (change !== undefined) this.#set(change);
    else if (textField(record["sessionId"]) !== undefined) this.#set(record);
    else if (textField(record["id"]) !== undefined && textField(record["type"]) !== undefined) this.#put(record);
    else throw new TypeError("neither a message, a change nor the head of a session");
  }

  end(): readonly Draft[] {
    const { facts } = this.#draft;
    const id = textField(this.#header["sessionId"]);
    if (id !== undefined) this.#draft.id = id;
    facts.startedAt = timeField(this.#header["startTime"]);
    facts.title = textField(this.#header["summary"]);
    const kept = restOf(this.#header, "sessionId", "startTime", "summary");
    this.#draft.kept = { ...kept, ...(this.#replaced ? { historyReplaced: true } : {}) };
    const answered = new Set<string>();
    for (const [name, { record, after }] of this.#entries) this.#say(record, name, after, answered);
    return [this.#draft];
  }

  #set(fields: JsonObject): void {
    const { messages, ...rest } = fields;
    this.#header = { ...this.#header, ...rest };
    const given = objectsOf(messages);
    const known = new Set(given.map((message) => message["id"]));
    // A history in the place of a longer one: the context was compacted.
    if (given.length > 0 && [...this.#entries.keys()].some((id) => !known.has(id))) this.#replaced = true;
    for (const message of given) this.#put(message);
  }

  #put(record: JsonObject): void {
    const id = textField(record["id"]) ?? `message ${this.#entries.size + 1}`;
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      this.#entries.set(id, { record, after: this.#tip });
      this.#tip = id;
    } else entry.record = record;
  }

  #say(record: JsonObject, id: string, after: string | null, answered: Set<string>): void {
    const draft = this.#draft;
    const at = timeField(record["timestamp"]);
    const extra = (...names: readonly string[]): JsonObject => ({
      [FORMAT]: restOf(record, "id", "timestamp", "type", ...names) ?? {},
    });
    const type = record["type"];
    const parts = partsOf(record["content"]);
    if (type === "gemini") {
      const calls = objectsOf(record["toolCalls"]);
      const tokens = objectField(record["tokens"]);
      const thoughts = objectsOf(record["thoughts"]).map((thought) =>
        [thought["subject"], thought["description"]].filter((text) => typeof text === "string").join(": "),
      );
      const message = replyFrom(
        contentOf(parts),
        thoughts,
        calls.map((call) => callOf(call["id"], call["name"], call["args"])),
        extra("content", "thoughts", "tokens", "model", "toolCalls"),
      );
      draft.say({
        message,
        at,
        id,
        after,
        model: textField(record["model"]),
        usage: usageFrom(tokens?.["input"], tokens?.["output"], tokens?.["cached"]),
      });
      for (const call of calls) this.#result(call, answered);
    } else if (type === "user") {
      const texts = parts.filter((part) => part["functionResponse"] === undefined);
      for (const part of parts) this.#response(objectField(part["functionResponse"]), answered, at);
      if (texts.length === 0 && parts.length > 0) draft.mark(id, after);
      else {
        const person = !INJECTED.test(textField(texts[0]?.["text"]) ?? "");
        draft.say({
          message: { role: "user", content: contentOf(texts), extra: extra("content") },
          at,
          id,
          after,
          person,
        });
      }
    } else {
      if (type === "error") draft.note({ error: textField(parts[0]?.["text"]) ?? "error" });
      draft.event({ ...restOf(record, "id") });
      draft.mark(id, after);
    }
  }

  /** The result that stands in the call. */
  #result(call: JsonObject, answered: Set<string>): void {
    const id = textField(call["id"]) ?? "";
    const status = call["status"];
    const given = call["result"];
    if (given === undefined || given === null) return;
    const [response] = objectsOf(objectsOf(given).map((part) => part["functionResponse"]));
    const content = response === undefined ? resultText(given) : responseText(response);
    const outcome = { error: status === "error" || failed(content), refused: status === "cancelled" };
    answered.add(id);
    const kept = restOf(call, "id", "name", "args", "result", "timestamp") ?? {};
    this.#draft.say({
      message: toolMessage(content, { id, name: textField(call["name"]) }, outcome, { [FORMAT]: kept }),
      at: timeField(call["timestamp"]),
    });
  }

  /** The result as the model was given it; a call that has its own is not answered twice. */
  #response(response: JsonObject | undefined, answered: Set<string>, at: string | undefined): void {
    const id = textField(response?.["id"]) ?? textField(response?.["name"]);
    if (response === undefined || id === undefined || answered.has(id)) return;
    answered.add(id);
    const content = responseText(response);
    const name = textField(response["name"]);
    this.#draft.say({ message: toolMessage(content, { id, name }, { error: failed(content) }), at });
  }
}

function responseText(response: JsonObject): string {
  const inner = objectField(response["response"]);
  return resultText(inner?.["output"] ?? inner?.["error"] ?? response["response"]);
}

function failed(content: string): boolean {
  return /(?:^|\n)Exit Code: (?!0\b)\d+|^(?:<untrusted_context>\n)?Error:/.test(content);
}

function partsOf(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  const parts = Array.isArray(content) ? (content as unknown[]) : [];
  return objectsOf(parts.map((part) => (typeof part === "string" ? { text: part } : part)));
}
