/**
 * pi and programs that took its session files over: JSON lines that make a tree by `id` and `parentId`, after a header. Read from
 * the description of session version 3 that pi 0.73.1 ships with, and from files that it wrote.
 */
import { join } from "node:path";
import type { JsonObject } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { Draft } from "./draft.ts";
import { sessionSource, type FileReader } from "./session-source.ts";
import { objectsOf } from "limbeck-recorder/lines";
import {
  callOf,
  contentOf,
  countSum,
  numberField,
  objectField,
  replyFrom,
  restOf,
  stemOf,
  textField,
  timeField,
  toolMessage,
  usageFrom,
} from "./fields.ts";

const FORMAT = "pi";

export const pi = sessionSource({
  id: FORMAT,
  title: "pi",
  versions: "session versions 1 to 3; tried with files that 0.73.1 wrote",
  reads:
    "messages, thinking, calls and results, tokens, costs, models, branches of the tree, compactions, commands that the user ran",
  leaves: "nothing that the file holds; a session that was forked from another file names it",
  folders: ({ home, env }) =>
    [env["PI_CODING_AGENT_DIR"] ?? join(home, ".pi", "agent")].map((root) => join(root, "sessions")),
  files: /\.jsonl$/,
  sign: /^\s*\{"type"\s*:\s*"session"\s*,/,
  open: (file) => new PiReader(file),
});

class PiReader implements FileReader {
  readonly #draft: Draft;

  constructor(file: string) {
    this.#draft = new Draft(FORMAT, stemOf(file), FORMAT);
  }

  add(record: JsonObject): void {
    const draft = this.#draft;
    const type = textField(record["type"]);
    const [id, after] = [textField(record["id"]), record["parentId"] as string | null | undefined];
    if (type === undefined) throw new TypeError('a line of a session has a "type"');
    if (type === "session") this.#header(record);
    else if (type === "message") {
      const message = objectField(record["message"]);
      if (message === undefined) throw new TypeError('a line of type "message" has a "message"');
      this.#message(message, record, { id, after });
    } else if (type === "custom_message") this.#message({ ...record, role: "custom" }, record, { id, after });
    else {
      if (type === "compaction" || type === "branch_summary") this.#summary(type, record, { id, after });
      else draft.mark(id, after);
      if (type === "session_info") draft.facts.title = textField(record["name"]);
      if (type !== "branch_summary") draft.event(restOf(record, "id", "parentId", "summary") ?? {});
    }
  }

  end(): readonly Draft[] {
    return [this.#draft];
  }

  #header(record: JsonObject): void {
    const { facts } = this.#draft;
    const id = textField(record["id"]);
    if (id !== undefined) this.#draft.id = id;
    facts.version = `session ${numberField(record["version"]) ?? 1}`;
    facts.cwd = textField(record["cwd"]);
    facts.startedAt = timeField(record["timestamp"]);
    const rest = restOf(record, "type", "id", "version", "cwd", "timestamp");
    if (rest !== undefined) this.#draft.kept = { header: rest };
  }

  /** A summary of the branch that was left opens the branch that goes on. */
  #summary(type: string, record: JsonObject, tree: Tree): void {
    const rest = restOf(record, "type", "id", "parentId", "summary", "timestamp");
    if (type === "compaction") this.#draft.compaction(rest ?? {});
    const message: Message = {
      role: "user",
      content: textField(record["summary"]) ?? "",
      extra: { [FORMAT]: { type, ...rest } },
    };
    const at = timeField(record["timestamp"]);
    this.#draft.say({ message, at, person: false, returns: type === "branch_summary", ...tree });
  }

  #message(message: JsonObject, record: JsonObject, tree: Tree): void {
    const at = timeField(record["timestamp"]) ?? timeField(message["timestamp"]);
    const outer = restOf(record, "type", "id", "parentId", "timestamp", "message", "content");
    const kept = (...names: readonly string[]): JsonObject => ({
      ...outer,
      ...restOf(message, "role", "timestamp", ...names),
    });
    const role = textField(message["role"]);
    const draft = this.#draft;
    if (role === "assistant") {
      const usage = objectField(message["usage"]);
      const extra = { [FORMAT]: kept("content", "model") };
      draft.say({
        message: { ...replyOf(message["content"]), extra },
        at,
        ...tree,
        model: textField(message["model"]),
        usage: usageFrom(
          countSum(usage?.["input"], usage?.["cacheRead"], usage?.["cacheWrite"]),
          usage?.["output"],
          usage?.["cacheRead"],
          objectField(usage?.["cost"])?.["total"],
        ),
      });
      const error = textField(message["errorMessage"]);
      if (error !== undefined) draft.note({ error });
    } else if (role === "toolResult") {
      const call = { id: textField(message["toolCallId"]), name: textField(message["toolName"]) };
      const rest = { [FORMAT]: kept("content", "toolCallId", "toolName") };
      const content = contentOf(objectsOf(message["content"]));
      draft.say({ message: toolMessage(content, call, { error: message["isError"] === true }, rest), at, ...tree });
    } else if (role === "bashExecution") {
      const content = `$ ${textField(message["command"]) ?? ""}\n${textField(message["output"]) ?? ""}`;
      draft.say({
        message: { role: "user", content, extra: { [FORMAT]: kept("command", "output") } },
        at,
        person: false,
        ...tree,
      });
    } else if (role !== undefined) {
      const given = message["content"] ?? message["summary"];
      const content = typeof given === "string" ? given : contentOf(objectsOf(given));
      draft.say({
        message: { role: "user", content, extra: { [FORMAT]: { role, ...kept("content", "summary") } } },
        at,
        person: role === "user",
        ...tree,
      });
    } else throw new TypeError('a message has a "role"');
  }
}

interface Tree {
  readonly id: string | undefined;
  readonly after: string | null | undefined;
}

function replyOf(content: unknown): Message {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
  const calls = blocks.filter((block) => block["type"] === "toolCall");
  const thoughts = blocks.flatMap((block) =>
    block["type"] === "thinking" ? (textField(block["thinking"]) ?? []) : [],
  );
  const rest = blocks.filter((block) => block["type"] !== "toolCall" && block["type"] !== "thinking");
  return replyFrom(
    contentOf(rest),
    thoughts,
    calls.map((block) => callOf(block["id"], block["name"], block["arguments"])),
  );
}
