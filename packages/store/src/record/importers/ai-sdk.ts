/**
 * Messages of the AI SDK 5 to 7 as applications save them: a list of UI messages (`parts`) or of model messages (`content`), or
 * objects with `messages`. Read from the types of `ai` 6.0 and the documentation of 5 and 7.
 */
import type { JsonObject } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { contentHash } from "../../store/formats/identity.ts";
import { Draft } from "./draft.ts";
import { sessionSource, type FileReader, type Session } from "./session-source.ts";
import { sayModelMessage, sayUiMessage } from "./ui-parts.ts";
import { objectsOf } from "limbeck-recorder/lines";
import { objectField, restOf, stemOf, textField, timeField, usageFrom } from "./fields.ts";

const FORMAT = "ai-sdk";

export const aiSdk = sessionSource({
  id: FORMAT,
  title: "AI SDK",
  versions:
    "UI messages and model messages of AI SDK 5 to 7 (the types of 6.0.326), and the parts of version 4 that are alike",
  reads:
    "texts, reasoning, calls with their results, approvals that were denied, steps, usage and model where the message's metadata has them",
  leaves: "nothing of a message; files are kept as they are, not fetched",
  files: /\.jsonl?$/,
  sign: /"parts"\s*:\s*\[\s*\{[^]*?"type"\s*:\s*"(?:text|step-start|reasoning|tool-|dynamic-tool|file|data-|source-)|"type"\s*:\s*"tool-(?:call|result)"/,
  open: (file) => new AiSdkReader(file),
});

class AiSdkReader implements FileReader {
  readonly #draft: Draft;

  constructor(file: string) {
    this.#draft = new Draft(FORMAT, stemOf(file), FORMAT);
  }

  /** A message belongs to the chat that the file is; an object with messages is a chat of its own. */
  add(record: JsonObject): readonly Session[] {
    if (!Array.isArray(record["messages"])) {
      sayMessage(this.#draft, record);
      return [];
    }
    const id = textField(record["id"]) ?? textField(record["chatId"]) ?? `${FORMAT}-${contentHash(record)}`;
    const draft = new Draft(FORMAT, id, textField(record["agent"]) ?? FORMAT);
    draft.facts.model = textField(record["model"]);
    draft.facts.title = textField(record["title"]);
    const system = textField(record["system"]);
    if (system !== undefined) draft.say({ message: { role: "system", content: system } });
    draft.kept = restOf(record, "id", "chatId", "messages", "model", "title", "system", "agent") ?? {};
    for (const message of objectsOf(record["messages"])) sayMessage(draft, message);
    return [draft];
  }

  end(): readonly Session[] {
    return [this.#draft];
  }
}

const ROLES = new Set<unknown>(["system", "user", "assistant", "tool", "data"] satisfies (Message["role"] | "data")[]);

function sayMessage(draft: Draft, raw: JsonObject): void {
  if (!ROLES.has(raw["role"])) throw new TypeError('a message has a "role": system, user, assistant or tool');
  const metadata = objectField(raw["metadata"]);
  const usage = objectField(metadata?.["usage"] ?? metadata?.["totalUsage"]);
  const about = {
    at: timeField(raw["createdAt"] ?? metadata?.["createdAt"] ?? metadata?.["timestamp"]),
    model: textField(metadata?.["model"] ?? metadata?.["modelId"]),
    usage: usageFrom(
      usage?.["inputTokens"],
      usage?.["outputTokens"],
      usage?.["cachedInputTokens"] ?? objectField(usage?.["inputTokenDetails"])?.["cacheReadTokens"],
    ),
    kept: restOf(raw, "role", "parts", "content", "createdAt") ?? {},
  };
  if (Array.isArray(raw["parts"])) sayUiMessage(draft, raw["role"] as string, objectsOf(raw["parts"]), about);
  else sayModelMessage(draft, raw, about);
}
