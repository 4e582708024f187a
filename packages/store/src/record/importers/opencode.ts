/**
 * OpenCode: what `opencode export` prints (`{info, messages: [{info, parts}]}`), and the folder of JSON files that older versions
 * kept, where the messages and parts of a session lie in files of their own. Read from the program's public source and from
 * exports of 1.18.18.
 */
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseObject, type JsonObject } from "limbeck-base/base/json";
import type { Message, ToolCall, Usage } from "limbeck-base/trajectory/trajectory";
import { plainText } from "limbeck-base/base/plain-file";
import { Draft } from "./draft.ts";
import { cutReplies } from "./replies.ts";
import { sessionSource } from "./session-source.ts";
import { objectsOf } from "limbeck-recorder/lines";
import {
  callOf,
  contentOf,
  countSum,
  objectField,
  replyFrom,
  restOf,
  textField,
  timeField,
  toolMessage,
  usageFrom,
} from "./fields.ts";

const FORMAT = "opencode";

export const opencode = sessionSource({
  id: FORMAT,
  title: "OpenCode",
  versions: "tried with exports of 1.18.18; the folder of JSON files of older versions from public descriptions",
  reads:
    "messages, reasoning, calls with their results, tokens, costs, models, sub-agents by their session, compactions",
  leaves:
    "the database that OpenCode keeps now (opencode export SESSION > FILE.json writes what is read here), and snapshots of files",
  folders: ({ home, env }) => [join(env["XDG_DATA_HOME"] ?? join(home, ".local", "share"), "opencode", "storage")],
  files: /(?:^|\/)session\/[^/]+\/ses_[^/]*\.json$|^[^/]+\.json$/,
  sign: /"(?:sessionID|projectID)"\s*:\s*"|"id"\s*:\s*"ses_/,
  gather: gatherFolder,
  open: () => ({ add: (value) => [readSession(value)], end: () => [] }),
});

const REFUSED = /rejected permission|user rejected|user (?:has )?denied|prevents you from using/i;

/** The messages of a session file in OpenCode's own folder. */
async function gatherFolder(value: JsonObject, file: string): Promise<JsonObject> {
  const id = textField(value["id"]);
  if (value["messages"] !== undefined || id === undefined || !/^ses_\w+$/.test(id)) return value;
  const storage = dirname(dirname(dirname(file)));
  const messages = await objectsIn(join(storage, "message", id));
  const whole = await Promise.all(
    messages.map(async (info) => {
      const own = textField(info["id"]) ?? "";
      return { info, parts: /^msg_\w+$/.test(own) ? await objectsIn(join(storage, "part", own)) : [] };
    }),
  );
  return { info: value, messages: whole };
}

/** In the order of their names, which is that of time. A file that cannot be read as JSON is left out. */
async function objectsIn(folder: string): Promise<JsonObject[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json")).sort();
  const texts = await Promise.all(names.map((name) => plainText(join(folder, name)).catch(() => "")));
  return [...objectsOf(texts.map(parseObject))];
}

function readSession(value: JsonObject): Draft {
  const info = objectField(value["info"]);
  const id = textField(info?.["id"]);
  if (info === undefined || id === undefined) throw new TypeError('a session has "info" with its "id"');
  const draft = new Draft(FORMAT, id, FORMAT);
  const { facts } = draft;
  facts.version = textField(info["version"]);
  facts.cwd = textField(info["directory"]);
  facts.title = textField(info["title"]);
  facts.startedAt = timeField(objectField(info["time"])?.["created"]);
  const parent = textField(info["parentID"]);
  if (parent !== undefined) facts.subagentOf = { trajectory: parent };
  facts.model = textField(objectField(info["model"])?.["id"]);
  draft.kept = {
    ...restOf(info, "id", "version", "directory", "title", "parentID"),
    ...restOf(value, "info", "messages"),
  };
  for (const message of objectsOf(value["messages"])) {
    const about = objectField(message["info"]) ?? {};
    const parts = objectsOf(message["parts"]);
    if (about["role"] === "assistant") sayReplies(draft, about, parts);
    else sayUser(draft, about, parts);
  }
  return draft;
}

function sayUser(draft: Draft, about: JsonObject, parts: readonly JsonObject[]): void {
  const at = timeField(objectField(about["time"])?.["created"]);
  const compaction = parts.find((part) => part["type"] === "compaction");
  if (compaction !== undefined) draft.compaction(restOf(compaction, "id", "sessionID", "messageID", "type") ?? {});
  const own = parts
    .filter((part) => part["type"] !== "compaction")
    .map((part) => restOf(part, "id", "sessionID", "messageID") ?? {});
  if (own.length === 0) return;
  const person = own.some((part) => part["type"] === "text" && part["synthetic"] !== true && part["ignored"] !== true);
  const extra = { [FORMAT]: restOf(about, "role", "sessionID") ?? {} };
  draft.say({ message: { role: "user", content: contentOf(own), extra }, at, person });
}

/** Older versions put several calls of the model into one message. */
function sayReplies(draft: Draft, about: JsonObject, parts: readonly JsonObject[]): void {
  const isWords = ({ type }: JsonObject): boolean => type === "text" || type === "reasoning";
  const groups = cutReplies(parts, isWords, ({ type }) => type === "tool");
  const times = objectField(about["time"]);
  const error = objectField(about["error"]);
  for (const [index, group] of groups.entries()) {
    const last = index >= groups.length - 1;
    const finish = group.find((part) => part["type"] === "step-finish");
    const counted = finish ?? (last ? about : {});
    draft.say({
      message: replyOf(group, index === 0 ? about : {}),
      at: timeField(times?.["created"]),
      model: textField(about["modelID"]),
      usage: countedIn(counted),
    });
    if (last && error !== undefined)
      draft.note({ error: textField(objectField(error["data"])?.["message"]) ?? textField(error["name"]) ?? "error" });
    if (about["summary"] === true) draft.compaction({ summary: true });
    for (const part of group) if (part["type"] === "tool") sayResult(draft, part);
  }
}

function replyOf(parts: readonly JsonObject[], about: JsonObject): Message {
  const thoughts = parts.flatMap((part) => (part["type"] === "reasoning" ? (textField(part["text"]) ?? []) : []));
  const calls = parts.filter((part) => part["type"] === "tool");
  const texts = parts.flatMap((part) =>
    part["type"] === "text" && typeof part["text"] === "string" ? [{ type: "text", text: part["text"] }] : [],
  );
  const known = new Set<unknown>(["text", "tool", "reasoning", "step-finish"]);
  const others = parts
    .filter((part) => !known.has(part["type"]))
    .map((part) => restOf(part, "sessionID", "messageID") ?? {});
  const kept = restOf(about, "role", "sessionID", "tokens", "cost", "modelID");
  const extra = { [FORMAT]: { ...kept, ...(others.length === 0 ? {} : { parts: others }) } };
  return replyFrom(contentOf(texts), thoughts, calls.map(toolCall), extra);
}

function toolCall(part: JsonObject): ToolCall {
  const state = objectField(part["state"]);
  return callOf(textField(part["callID"]) ?? part["id"], part["tool"], state?.["input"] ?? state?.["raw"]);
}

function sayResult(draft: Draft, part: JsonObject): void {
  const state = objectField(part["state"]);
  const status = state?.["status"];
  if (state === undefined || (status !== "completed" && status !== "error")) return;
  const content = textField(state["output"]) ?? textField(state["error"]) ?? "";
  const exit = objectField(state["metadata"])?.["exit"];
  const refused = status === "error" && REFUSED.test(content);
  const error = status === "error" || (typeof exit === "number" && exit !== 0);
  const kept = restOf(state, "input", "raw", "output", "error") ?? {};
  const message = toolMessage(content, toolCall(part), { error, refused }, { [FORMAT]: kept });
  draft.say({ message, at: timeField(objectField(state["time"])?.["end"]) });
}

function countedIn(record: JsonObject): Usage | undefined {
  const tokens = objectField(record["tokens"]);
  const cache = objectField(tokens?.["cache"]);
  const prompt = countSum(tokens?.["input"], cache?.["read"], cache?.["write"]);
  return usageFrom(prompt, countSum(tokens?.["output"], tokens?.["reasoning"]), cache?.["read"], record["cost"]);
}
