/**
 * Chat-messages JSON lines in both dialects. One line is one conversation; the dialect is found per line when reading.
 * `info.chat` keeps what a line says beyond its messages and tools, so that it can be written back as it came.
 */
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import { readAnthropicMessages, writeAnthropicMessages } from "./anthropic-messages.ts";
import { chatFromSteps, stepsFromChat, textOf } from "./chat-steps.ts";
import { asObjects, toAnthropicTool, toOpenAiTool } from "limbeck-recorder/wire/parts";
import { faultAt, type FileLine } from "./fault.ts";
import type { Format } from "./source.ts";
import { contentHash } from "./identity.ts";
import { readJsonLines } from "./lines.ts";
import { readOpenAiMessage, writeOpenAiMessage } from "./openai-messages.ts";
import { applyOverlay, overlay } from "./overlay.ts";
import { readEach } from "./renamed.ts";
import { writeJsonLines } from "./target.ts";

export type Dialect = "openai" | "anthropic";

/** Reading takes either shape, line by line. */
export function chatSource(dialect: Dialect, shape: string, sign: RegExp): Format {
  return {
    id: `${dialect}-chat`,
    summary: `Chat messages with tool calls, one conversation per line, in the ${shape} shape.`,
    sign,
    loses:
      "ids, tasks, groups, branches, rewards, endings, tokens, log-probabilities, usage and timing, unless the conversation came from such a file and its line had them",
    read: (path, options) => readEach(path, readJsonLines(path, options), options, readLine),
    write: (path, trajectories, options) =>
      writeJsonLines(path, trajectories, (trajectory) => chatLine(trajectory, dialect), options),
  };
}

const ANTHROPIC_BLOCKS = new Set<unknown>(["tool_use", "tool_result", "thinking", "redacted_thinking"]);
const OPENAI_ROLES = new Set<unknown>(["system", "developer", "tool", "function"]);
/** Belong to the dialect and are written by it; other fields of a line travel between dialects. */
const DIALECT_FIELDS = new Set(["messages", "system", "tools", "$absent"]);

/** One conversation as the object that stands on a line. */
export function chatLine(trajectory: Trajectory, dialect: Dialect): JsonObject {
  const plain = plainLine(trajectory, dialect);
  const kept = trajectory.info?.["chat"];
  if (!isObject(kept) || !isObject(kept["line"])) return plain;
  const shared = Object.entries(kept["line"]).filter(
    ([name]) => kept["dialect"] === dialect || !DIALECT_FIELDS.has(name),
  );
  const line = applyOverlay(plain, Object.fromEntries(shared));
  return { ...line, ...outcomeFields(line, trajectory) };
}

/** The fields under which the line has its outcome, with what is known now: feedback may have come since. */
function outcomeFields(line: JsonObject, { reward, success }: Trajectory): JsonObject {
  const name = rewardField(line);
  return {
    ...(typeof line[name] === "number" && reward.kind === "scored" ? { [name]: reward.value } : {}),
    ...(typeof line["success"] === "boolean" && success !== null ? { success } : {}),
  };
}

function plainLine(trajectory: Trajectory, dialect: Dialect): JsonObject {
  const chat = chatFromSteps(trajectory);
  const tools = trajectory.tools?.map(dialect === "openai" ? toOpenAiTool : toAnthropicTool);
  const body = dialect === "openai" ? { messages: chat.map(writeOpenAiMessage) } : writeAnthropicMessages(chat);
  return { ...body, ...(tools === undefined ? {} : { tools }) };
}

/** A trajectory from a parsed line. */
export function readLine(value: unknown, place: FileLine): Trajectory {
  if (!isObject(value)) throw faultAt(place, "bad-chat", 'a line must be an object with a list "messages".');
  const raws = asObjects(value["messages"]);
  if (raws === undefined) throw faultAt(place, "bad-chat", '"messages" is missing or not a list of objects.');
  const dialect = detectDialect(value, raws);
  const fault = (why: string): never => {
    throw faultAt(place, "bad-chat", `a message is not in the ${dialect} shape: ${why}.`);
  };
  const chat =
    dialect === "anthropic"
      ? readAnthropicMessages(value["system"], raws, fault)
      : raws.map((raw) => readOpenAiMessage(raw, fault));
  const tools = asObjects(value["tools"])?.map((tool) => (dialect === "openai" ? tool : toOpenAiTool(tool)));
  const system = textOf(chat.find((message) => message.role === "system")?.content ?? "");
  const goal = textOf(chat.find((message) => message.role === "user")?.content ?? "");
  const task = `chat-${contentHash([system, goal])}`;
  const model = typeof value["model"] === "string" ? value["model"] : undefined;
  const plain: Trajectory = {
    id: idOf(value),
    task: { id: task, env: "chat", seed: 0, goal, split: "train" },
    group: task,
    ...stepsFromChat(chat, "chat JSON lines"),
    streams: [],
    ending: "terminated",
    reward: rewardOf(value),
    success: typeof value["success"] === "boolean" ? value["success"] : null,
    rewards: [],
    policy: { name: model === undefined || model === "" ? "chat" : model, ...(model === undefined ? {} : { model }) },
    ...(tools === undefined ? {} : { tools }),
  };
  const line = overlay(plainLine(plain, dialect), value);
  const note = plain.steps.length === 0 ? { note: "The conversation has no assistant message." } : {};
  if (line === undefined && plain.steps.length > 0) return plain;
  return { ...plain, info: { chat: { dialect, ...(line === undefined ? {} : { line }), ...note } } };
}

/** Roles and fields only one dialect has decide; a plain exchange of texts is the same in both. */
export function detectDialect(value: JsonObject, raws: readonly JsonObject[]): Dialect {
  if (raws.some((raw) => OPENAI_ROLES.has(raw["role"]) || raw["tool_calls"] !== undefined)) return "openai";
  if (value["system"] !== undefined) return "anthropic";
  if (asObjects(value["tools"])?.some((tool) => tool["input_schema"] !== undefined) === true) return "anthropic";
  const blocks = raws.flatMap((raw) => asObjects(raw["content"]) ?? []);
  const sign = blocks.some(
    (block) => ANTHROPIC_BLOCKS.has(block["type"]) || (block["type"] === "image" && isObject(block["source"])),
  );
  return sign ? "anthropic" : "openai";
}

function idOf(value: JsonObject): string {
  const id = value["id"];
  if (typeof id === "string" && id !== "") return id;
  return typeof id === "number" ? String(id) : `chat-${contentHash(value)}`;
}

function rewardField(value: JsonObject): "reward" | "score" {
  return (value["reward"] ?? null) === null ? "score" : "reward";
}

function rewardOf(value: JsonObject): Score {
  const reward = value[rewardField(value)];
  return typeof reward === "number" ? scored(reward) : unscored("the line has no number under reward or score");
}
