/**
 * Mastra memory: messages of threads as `memory.recall()`, `listMessages()` or a dump of the table `mastra_messages` gives them,
 * content of format 2 (also as the JSON text that databases hold). Read from the storage reference of Mastra 1 (mastra.ai, 2026).
 */
import { parseObject, type JsonObject } from "limbeck-base/base/json";
import { Draft } from "./draft.ts";
import { sessionSource, type FileReader, type Session } from "./session-source.ts";
import { sayModelMessage, sayUiMessage } from "./ui-parts.ts";
import { objectsOf } from "limbeck-recorder/lines";
import { objectField, restOf, textField, timeField } from "./fields.ts";

const FORMAT = "mastra";

export const mastra = sessionSource({
  id: FORMAT,
  title: "Mastra memory",
  versions:
    "messages of format 2 as documented for Mastra 1 (2026), and older ones with content as text; not tried with a dump",
  reads: "threads as sessions, texts, reasoning, calls with their results, the thread's title and resource",
  leaves: "databases themselves; workflows, traces and scores",
  files: /\.jsonl?$/,
  sign: /"(?:threadId|thread_id)"\s*:/,
  joinsFiles: true,
  open: () => new MastraReader(),
});

class MastraReader implements FileReader {
  readonly #messages = new Map<string, JsonObject[]>();
  readonly #threads = new Map<string, JsonObject>();

  add(record: JsonObject): void {
    const below = objectsOf(record["messages"]);
    if (below.length > 0) {
      const thread = objectField(record["thread"]);
      if (thread !== undefined) this.#thread(thread);
      const id = textField(thread?.["id"]) ?? textField(record["threadId"]);
      for (const message of below) this.add(id === undefined ? message : { threadId: id, ...message });
      return;
    }
    const thread = textField(record["threadId"] ?? record["thread_id"]);
    if (thread === undefined && textField(record["id"]) !== undefined && record["role"] === undefined)
      this.#thread(record);
    else if (thread === undefined) throw new TypeError('a message has a "threadId"');
    else this.#messages.set(thread, [...(this.#messages.get(thread) ?? []), record]);
  }

  #thread(record: JsonObject): void {
    this.#threads.set(textField(record["id"]) ?? "", record);
  }

  end(): readonly Session[] {
    return [...this.#messages].map(([id, messages]) => {
      const thread = this.#threads.get(id) ?? {};
      const draft = new Draft(FORMAT, id, FORMAT);
      draft.facts.title = textField(thread["title"]);
      draft.kept = restOf(thread, "id", "title") ?? {};
      const inTime = [...messages].sort((one, other) =>
        timeOf(one) < timeOf(other) ? -1 : timeOf(one) > timeOf(other) ? 1 : 0,
      );
      for (const message of inTime) sayMessage(draft, message);
      return draft;
    });
  }
}

function timeOf(record: JsonObject): string {
  return timeField(record["createdAt"] ?? record["created_at"]) ?? "";
}

function sayMessage(draft: Draft, record: JsonObject): void {
  const raw = record["content"];
  const content = objectField(raw) ?? (typeof raw === "string" ? parseObject(raw) : undefined);
  const role = textField(record["role"]) ?? "user";
  const parts = objectsOf(content?.["parts"]);
  const metadata = objectField(content?.["metadata"]);
  const about = {
    at: timeField(record["createdAt"] ?? record["created_at"]),
    model: textField(metadata?.["modelId"]),
    usage: undefined,
    kept: {
      ...restOf(record, "role", "content", "createdAt", "created_at", "threadId", "thread_id"),
      ...(content === undefined ? {} : restOf(content, "parts", "format", "toolInvocations", "reasoning", "content")),
    },
  };
  if (parts.length > 0) sayUiMessage(draft, role, parts, about);
  else sayModelMessage(draft, { role, content: raw ?? "" }, about);
}
