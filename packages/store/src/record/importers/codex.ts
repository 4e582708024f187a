/**
 * Codex CLI: a rollout is JSON lines of `{timestamp, type, payload}`; `response_item`s are what the model wrote and read, the
 * rest is about the session. Read from the program's public source and from files of 0.166.0; the first versions had the items
 * without the frame.
 */
import { join } from "node:path";
import type { JsonObject } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { Draft } from "./draft.ts";
import { sessionSource, type FileReader } from "./session-source.ts";
import { callArguments, objectsOf } from "limbeck-recorder/lines";
import {
  contentOf,
  objectField,
  restOf,
  resultText,
  stemOf,
  textField,
  timeField,
  toolMessage,
  usageFrom,
} from "./fields.ts";

const FORMAT = "codex";

export const codex = sessionSource({
  id: FORMAT,
  title: "Codex CLI",
  versions: "tried with files that 0.166.0 wrote; the bare items of the first rollouts from the public source",
  reads:
    "messages, summaries of reasoning, calls and results with their exit codes, tokens, models, compactions, forks and sub-agents by their ids",
  leaves:
    "events that repeat a message (item_completed, agent_message, user_message, world_state) and encrypted reasoning",
  folders: ({ home, env }) =>
    ["sessions", "archived_sessions"].map((name) => join(env["CODEX_HOME"] ?? join(home, ".codex"), name)),
  files: /(?:^|\/)rollout-[^/]*\.jsonl$/,
  sign: /"type"\s*:\s*"(?:session_meta|response_item|turn_context)"/,
  open: (file) => new CodexReader(file),
});

/** These say again what a response item says. */
const REPEATS = new Set([
  "item_completed",
  "item_started",
  "agent_message",
  "user_message",
  "agent_reasoning",
  "agent_reasoning_raw_content",
  "exec_command_begin",
  "exec_command_output_delta",
  "raw_response_item",
  "thread_settings_applied",
]);
/** Context that the program writes as if the user had written it. */
const INJECTED =
  /^\s*(?:<(?:environment_context|user_instructions|user_shell_command|turn_aborted|skill|permissions|recommended_plugins)|# AGENTS\.md instructions)/;
const EXIT = /(?:exited with code|Exit code:|exit_code"?:)\s*(-?\d+)/;
const REFUSED = /rejected by user|user rejected|denied by (?:user|policy)|was not approved|aborted by user/i;

class CodexReader implements FileReader {
  readonly #draft: Draft;
  #reply = 0;

  constructor(file: string) {
    this.#draft = new Draft(FORMAT, stemOf(file), FORMAT);
  }

  add(record: JsonObject): void {
    const payload = objectField(record["payload"]);
    const at = timeField(record["timestamp"]);
    const type = textField(record["type"]);
    if (payload === undefined) {
      // In the first versions the items stood bare, after a first line with the id.
      if (type !== undefined) this.#item(record, at, {});
      else if (textField(record["id"]) !== undefined) this.#meta(record);
      else if (record["record_type"] === undefined) throw new TypeError('a line of a rollout has "type" and "payload"');
      return;
    }
    const outer = restOf(record, "type", "payload", "timestamp", "ordinal") ?? {};
    if (type === "session_meta") this.#meta(payload);
    else if (type === "response_item") this.#item(payload, at, outer);
    else if (type === "turn_context") this.#context(payload);
    else if (type === "compacted") this.#compacted(payload, at);
    else if (type === "token_usage_record") this.#used(objectField(payload["usage"]));
    else if (type === "event_msg") this.#event(payload);
    else if (type !== "world_state") this.#draft.event({ type: type ?? "unknown", ...payload });
  }

  end(): readonly Draft[] {
    return [this.#draft];
  }

  #meta(payload: JsonObject): void {
    const { facts } = this.#draft;
    const id = textField(payload["id"]);
    if (id !== undefined && facts.version === undefined) this.#draft.id = id;
    facts.version ??= textField(payload["cli_version"]);
    facts.cwd ??= textField(payload["cwd"]);
    facts.gitBranch ??= textField(objectField(payload["git"])?.["branch"]);
    const parent = objectField(objectField(objectField(payload["source"])?.["subagent"])?.["thread_spawn"]);
    const caller = textField(parent?.["parent_thread_id"]) ?? textField(payload["parent_thread_id"]);
    if (caller !== undefined) facts.subagentOf ??= { trajectory: caller };
    const system = textField(objectField(payload["base_instructions"])?.["text"]) ?? textField(payload["instructions"]);
    if (system !== undefined && facts.system === undefined)
      this.#draft.say({ message: { role: "system", content: system } });
    const rest = restOf(payload, "id", "session_id", "cli_version", "cwd", "base_instructions", "instructions");
    this.#draft.kept = { meta: rest ?? {}, ...this.#draft.kept };
  }

  #context(payload: JsonObject): void {
    const model = textField(payload["model"]);
    if (model !== undefined) this.#draft.facts.model = model;
    this.#draft.event({ type: "turn_context", ...payload });
  }

  #compacted(payload: JsonObject, at: string | undefined): void {
    const { message, replacement_history: history, ...rest } = payload;
    this.#draft.compaction({ ...rest, ...(at === undefined ? {} : { at }) });
    const kept = Array.isArray(history) ? { replacement_history: history.length } : {};
    const content = typeof message === "string" ? message : "";
    this.#draft.say({
      message: { role: "user", content, extra: { [FORMAT]: { type: "compacted", ...kept } } },
      at,
      person: false,
    });
  }

  #event(payload: JsonObject): void {
    const type = textField(payload["type"]) ?? "";
    if (REPEATS.has(type)) return;
    if (type === "token_count") this.#used(objectField(objectField(payload["info"])?.["last_token_usage"]));
    else if (type === "turn_aborted" || type === "error" || type === "stream_error") {
      this.#draft.note({ error: textField(payload["message"] ?? payload["reason"]) ?? type });
      this.#draft.event(payload);
    } else if (type === "context_compacted") this.#draft.compaction({});
    else this.#draft.event(payload);
  }

  #used(usage: JsonObject | undefined): void {
    this.#reply += 1;
    this.#draft.used(usageFrom(usage?.["input_tokens"], usage?.["output_tokens"], usage?.["cached_input_tokens"]));
  }

  #item(item: JsonObject, at: string | undefined, outer: JsonObject): void {
    const type = textField(item["type"]) ?? (item["role"] === undefined ? "" : "message");
    const extra = (...names: readonly string[]): JsonObject => ({
      [FORMAT]: { type, ...restOf(item, "type", ...names), ...outer },
    });
    const say = (message: Message, person = false): void => {
      const isReply = message.role === "assistant";
      // What the model is given ends its reply; that tokens are counted then too is not in every file.
      if (!isReply) this.#reply += 1;
      this.#draft.say({ message, at, person, ...(isReply ? { reply: String(this.#reply) } : {}) });
    };
    if (type === "message") {
      const content = partsOf(item["content"]);
      const role = item["role"] === "assistant" ? "assistant" : item["role"] === "user" ? "user" : "system";
      const first = typeof content === "string" ? content : (textField(content[0]?.["text"]) ?? "");
      say({ role, content, extra: extra("role", "content") }, role === "user" && !INJECTED.test(first));
    } else if (type === "reasoning") {
      const texts = [...objectsOf(item["summary"]), ...objectsOf(item["content"])].flatMap(
        (part) => textField(part["text"]) ?? [],
      );
      const reasoning = texts.length === 0 ? {} : { reasoning: texts.join("\n") };
      say({ role: "assistant", content: "", ...reasoning, extra: extra("summary", "content", "encrypted_content") });
    } else if (type.endsWith("_call")) {
      const id = textField(item["call_id"] ?? item["id"]) ?? "";
      const name = textField(item["name"]) ?? type.replace(/_call$/, "");
      const given = item["arguments"] ?? item["input"] ?? item["action"];
      const call = { id, name, arguments: callArguments(given) };
      say({
        role: "assistant",
        content: "",
        toolCalls: [call],
        extra: extra("call_id", "name", "arguments", "input", "action"),
      });
    } else if (type.endsWith("_output")) {
      const output = item["output"];
      const inner = objectField(output);
      const text = resultText(inner?.["content"] ?? (inner === undefined ? output : JSON.stringify(inner)));
      const code = EXIT.exec(text.slice(0, 2000))?.[1];
      const failed = inner?.["success"] === false || (code !== undefined && code !== "0");
      const outcome = { error: failed, refused: REFUSED.test(text.slice(0, 300)) };
      const content = Array.isArray(output) ? partsOf(output) : text;
      const kept = extra("call_id", ...(inner === undefined ? ["output"] : []));
      say(toolMessage(content, { id: textField(item["call_id"]) }, outcome, kept));
    } else if (type === "compaction" || type === "compaction_summary")
      this.#draft.compaction(restOf(item, "encrypted_content") ?? {});
    else if (type === "") throw new TypeError('a response item has a "type"');
    else this.#draft.event({ ...item });
  }
}

function partsOf(content: unknown): Message["content"] {
  if (typeof content === "string") return content;
  const parts = objectsOf(content);
  const texts = parts.map((part) => (typeof part["text"] === "string" ? { type: "text", text: part["text"] } : part));
  return contentOf(texts);
}
