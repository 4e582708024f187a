/**
 * Claude Code: one JSON line for each message, in pieces as they came; `parentUuid` makes a tree, `isSidechain` marks sub-agents
 * (in files of their own, in older versions in the caller's file). The format is not published: read from files of 2.1.197, and
 * from public notes on 1.0 to 2.1.
 */
import { join } from "node:path";
import type { JsonObject } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { readAnthropicMessages } from "../../store/formats/anthropic-messages.ts";
import { textOf } from "../../store/formats/chat-steps.ts";
import { Draft } from "./draft.ts";
import { sessionSource, type FileReader } from "./session-source.ts";
import { objectField, restOf, stemOf, textField, timeField, toolOutcome, anthropicUsage } from "./fields.ts";

const FORMAT = "claude-code";

export const claudeCode = sessionSource({
  id: FORMAT,
  title: "Claude Code",
  versions: "tried with files that 2.1.197 wrote; lines of older versions from public notes",
  reads:
    "messages, thinking, calls and results, tokens, models, sub-agents as sessions of their own, rewound prompts as branches, compactions, refused calls",
  leaves: "large results that lie in files of their own beside the session, and the saved states of edited files",
  folders: ({ home, env }) => [join(env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "projects")],
  files: /\.jsonl$/,
  sign: /"(?:parentUuid|isSidechain|leafUuid)"\s*:|"type"\s*:\s*"(?:queue-operation|file-history-snapshot)"/,
  open: (file) => new ClaudeReader(file),
});

/** Fields that most lines repeat; kept once. */
const REPEATED = ["sessionId", "version", "cwd", "gitBranch", "userType", "entrypoint", "slug"];
const REFUSED =
  /^(?:The user doesn't want to|Permission to use|\[Request interrupted|User rejected|Claude requested permissions)/;
const INJECTED =
  /^\s*<(?:command-name|command-message|local-command|system-reminder|bash-input|bash-stdout|user-memory-input)/;

class ClaudeReader implements FileReader {
  readonly #stem: string;
  readonly #drafts = new Map<string, Draft>();
  /** Which draft each record of a side chain belongs to. */
  readonly #homes = new Map<string, Draft>();
  #session: string | undefined;

  constructor(file: string) {
    this.#stem = stemOf(file);
  }

  add(record: JsonObject): void {
    const type = textField(record["type"]) ?? (record["attachment"] === undefined ? undefined : "attachment");
    if (type === undefined) throw new TypeError('a line of Claude Code has a "type"');
    this.#session ??= textField(record["sessionId"]);
    const draft = this.#draftOf(record);
    const [id, after] = [textField(record["uuid"]), record["parentUuid"] as string | null | undefined];
    if (type === "user" || type === "assistant") {
      const message = objectField(record["message"]);
      if (message === undefined) throw new TypeError(`a line of type "${type}" has a "message"`);
      for (const [index, said] of this.#messages(record, message).entries()) {
        const person = isPerson(record, said);
        const at = timeField(record["timestamp"]);
        const tree = index === 0 ? { id, after } : {};
        draft.say({
          message: said,
          at,
          person,
          ...tree,
          ...(said.role === "assistant" ? replyFacts(record, message) : {}),
        });
      }
    } else {
      if (record["subtype"] === "compact_boundary")
        draft.compaction({ ...objectField(record["compactMetadata"]), at: record["timestamp"] ?? null });
      if (type === "summary" || type === "ai-title" || type === "custom-title") {
        const title = textField(record["summary"] ?? record["aiTitle"] ?? record["customTitle"]);
        if (title !== undefined) draft.facts.title = title;
      }
      draft.event({ type, ...restOf(record, "type", "uuid", "parentUuid", ...REPEATED) });
      draft.mark(id, after);
    }
  }

  end(): readonly Draft[] {
    return [...this.#drafts.values()];
  }

  #draftOf(record: JsonObject): Draft {
    const session = this.#session ?? this.#stem;
    const agent = textField(record["agentId"]);
    if (record["isSidechain"] !== true) return this.#named(this.#session === undefined ? this.#stem : session, record);
    if (agent !== undefined) return this.#named(`${session}/${agent}`, record, session);
    const before = this.#homes.get(textField(record["parentUuid"]) ?? "");
    const draft = before ?? this.#named(`${session}/${textField(record["uuid"]) ?? "side"}`, record, session);
    const id = textField(record["uuid"]);
    if (id !== undefined) this.#homes.set(id, draft);
    return draft;
  }

  #named(id: string, record: JsonObject, caller?: string): Draft {
    // Titles may stand before the first line that names the session.
    const early = this.#drafts.get(this.#stem);
    const draft = this.#drafts.get(id) ?? (caller === undefined ? early : undefined) ?? new Draft(FORMAT, id, FORMAT);
    if (caller === undefined) {
      draft.id = id;
      if (early === draft) this.#drafts.delete(this.#stem);
    }
    this.#drafts.set(id, draft);
    const { facts } = draft;
    facts.version ??= textField(record["version"]);
    facts.cwd ??= textField(record["cwd"]);
    facts.gitBranch ??= textField(record["gitBranch"]);
    if (caller !== undefined) facts.subagentOf ??= { trajectory: caller };
    return draft;
  }

  #messages(record: JsonObject, message: JsonObject): readonly Message[] {
    const { role, content } = { role: record["type"] as string, content: message["content"] ?? "" };
    const pieces = readAnthropicMessages(undefined, [{ role, content }]);
    const rest = restOf(record, "type", "message", "timestamp", ...REPEATED);
    const inner = restOf(message, "role", "content", "usage", "model", "id");
    const kept = { ...rest, ...(inner === undefined ? {} : { message: inner }) };
    return pieces.map((piece, index) => {
      const { anthropic: _again, ...extra } = piece.extra ?? {};
      const block = objectField(piece.extra?.["anthropic"])?.["block"];
      const own =
        index === 0 ? { ...kept, ...(block === undefined ? {} : { block }) } : block === undefined ? {} : { block };
      const outcome = piece.role === "tool" ? toolFacts(piece, objectField(block)) : {};
      const signed =
        piece.role === "assistant" && piece.extra?.["anthropic"] !== undefined
          ? { written: piece.extra["anthropic"] }
          : {};
      return { ...piece, extra: { ...extra, ...outcome, [FORMAT]: { ...own, ...signed } } };
    });
  }
}

function toolFacts(piece: Message, block: JsonObject | undefined): JsonObject {
  const failed = block?.["is_error"] === true;
  return toolOutcome({ error: failed, refused: failed && REFUSED.test(textOf(piece.content)) });
}

/** What the program put in the user's mouth is no word of theirs. */
function isPerson(record: JsonObject, said: Message): boolean {
  if (said.role !== "user" || record["isMeta"] === true || record["isCompactSummary"] === true) return false;
  return !INJECTED.test(textOf(said.content)) && !REFUSED.test(textOf(said.content));
}

function replyFacts(record: JsonObject, message: JsonObject): JsonObject & { readonly reply?: string } {
  const usage = objectField(message["usage"]) ?? {};
  const failed = record["isApiErrorMessage"] === true ? { info: { error: textOfContent(message["content"]) } } : {};
  const model = textField(message["model"]);
  const counted = anthropicUsage(usage, record["costUSD"]);
  const reply = textField(message["id"]) ?? textField(record["requestId"]);
  return {
    ...(reply === undefined ? {} : { reply }),
    ...(model === undefined || model === "<synthetic>" ? {} : { model }),
    ...(counted === undefined || model === "<synthetic>" ? {} : { usage: counted as JsonObject }),
    ...failed,
  };
}

function textOfContent(content: unknown): string {
  return textOf(Array.isArray(content) ? (content as JsonObject[]) : typeof content === "string" ? content : "");
}
