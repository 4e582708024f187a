/** The Agent Data Protocol, versions 1.0 to 1.2: one trajectory per line, or an array. Its successor is ATIF. */
import { z } from "zod";
import { isObject } from "../../base/index.ts";
import {
  scored,
  unscored,
  type JsonObject,
  type Message,
  type Score,
  type Step,
  type ToolCall,
  type Trajectory,
} from "../../trajectory/index.ts";
import { totalScore } from "../../trajectory/rows.ts";
import { fromAdp, toAdp } from "./adp-write.ts";
import { stepsFromChat, textOf } from "./chat-steps.ts";
import { asObjects } from "./content-parts.ts";
import { attempt, faultAt, type Place } from "./fault.ts";
import type { Format, ReadOptions } from "./format.ts";
import { contentHash, createUnique } from "./identity.ts";
import { readJsonValues } from "./json-values.ts";
import { renamed } from "./renamed.ts";
import { writeJsonLines } from "./target.ts";

export const adp: Format = {
  id: "adp",
  summary: "Agent Data Protocol 1.0 to 1.2, one trajectory per line; its successor is ATIF.",
  extensions: [".adp.jsonl", ".adp.jsonl.gz"],
  loses: "",
  read: readAdp,
  write: (path, trajectories, options) => writeJsonLines(path, trajectories, adpDocument, options),
};

/** The document that reads back as exactly this trajectory. */
export function adpDocument(trajectory: Trajectory): JsonObject {
  return toAdp(trajectory, plainAdp);
}

const jsonObject = z.record(z.string(), z.json());
const text = z.string();
const shared = { reward: z.number().nullish(), tool_call_id: text.nullish() };
const action = { ...shared, reasoning_content: text.nullish(), description: text.nullish() };
const source = z.enum(["user", "agent", "environment"]).nullish();

const Item = z.discriminatedUnion("class_", [
  z.looseObject({ class_: z.literal("api_action"), function: text, kwargs: jsonObject.nullish(), ...action }),
  z.looseObject({ class_: z.literal("code_action"), language: text, content: text, ...action }),
  z.looseObject({ class_: z.literal("message_action"), content: text, ...action }),
  z.looseObject({ class_: z.literal("text_observation"), content: text, source, name: text.nullish(), ...shared }),
  z.looseObject({ class_: z.literal("image_observation"), content: text, source, ...shared }),
  z.looseObject({
    class_: z.literal("web_observation"),
    html: text.nullish(),
    axtree: text.nullish(),
    url: text.nullish(),
    ...shared,
  }),
]);
const Document = z.looseObject({
  schema_version: text.regex(/^1\.[012](\.\d+)?$/, "known versions are 1.0, 1.1 and 1.2").nullish(),
  id: text.nullish(),
  content: z.array(Item),
});
type AdpItem = z.output<typeof Item>;

async function* readAdp(path: string, options: ReadOptions): AsyncGenerator<Trajectory, void, undefined> {
  const unique = createUnique();
  for await (const { value, file, line } of readJsonValues(path, [], options)) {
    const place = { file, line };
    const trajectory = attempt(place, options, () => readAdpDocument(value, place));
    if (trajectory !== undefined) yield renamed(trajectory, unique(trajectory.id), place, options);
  }
}

export function readAdpDocument(value: unknown, place: Place): Trajectory {
  const parsed = Document.safeParse(value);
  if (!parsed.success || !isObject(value)) {
    const why = parsed.success ? "it is no object" : z.prettifyError(parsed.error);
    throw faultAt(place, "bad-adp", `not an Agent Data Protocol trajectory: ${why}.`);
  }
  return fromAdp(value, plainAdp, place);
}

/** What a checked document says by itself. */
function plainAdp(value: JsonObject): Trajectory {
  const { content, id } = Document.parse(value);
  const chat = content.map(toMessage);
  const { content: _content, id: _id, ...rest } = value;
  const { steps, closing } = stepsFromChat(chat, "ADP");
  const goal = textOf(chat.find((message) => message.role === "user")?.content ?? "");
  const task = `adp-${contentHash(goal)}`;
  const rewarded = withRewards(steps, content);
  const total = totalScore(rewarded.map((step) => step.reward));
  const tools = asObjects(value["available_custom_tools"] ?? value["available_apis"]);
  return {
    id: typeof id === "string" && id !== "" ? id : `adp-${contentHash(value)}`,
    task: { id: task, env: "adp", seed: 0, goal, split: "train" },
    group: task,
    steps: rewarded,
    ...(closing === undefined ? {} : { closing }),
    streams: [],
    ending: "terminated",
    reward: total.kind === "scored" ? total : unscored("no action or observation has a reward"),
    success: null,
    rewards: [],
    policy: { name: "adp" },
    ...(tools === undefined ? {} : { tools }),
    ...(Object.keys(rest).length === 0 ? {} : { info: { adp: rest } }),
  };
}

/** A reward on an action, or on the observations that answer it, is the reward of that step. */
function withRewards(steps: readonly Step[], content: readonly AdpItem[]): Step[] {
  const scores: Score[][] = steps.map(() => []);
  let step = -1;
  for (const item of content) {
    if (isAction(item)) step += 1;
    if (typeof item.reward === "number") scores[step]?.push(scored(item.reward));
  }
  return steps.map((item, index) => {
    const total = totalScore(scores[index] ?? []);
    return total.kind === "scored"
      ? { ...item, reward: total }
      : { ...item, reward: unscored("the action has no reward") };
  });
}

function isAction(item: AdpItem): boolean {
  return item["class_"] === "api_action" || item["class_"] === "code_action" || item["class_"] === "message_action";
}

function toMessage(item: AdpItem): Message {
  const extra = { extra: { adp: item as JsonObject } };
  if (item["class_"] === "message_action") return { ...reply(item, item.content), ...(item.description ? extra : {}) };
  if (item["class_"] === "api_action") {
    return reply(item, item.description ?? "", { name: item.function, arguments: item.kwargs ?? {} });
  }
  if (item["class_"] === "code_action") {
    return reply(item, item.description ?? "", codeCall(item.language, item.content));
  }
  if (item["class_"] === "text_observation") {
    const name = typeof item.name === "string" ? { name: item.name } : {};
    return { ...observed(item.source, item.tool_call_id), content: item.content, ...name };
  }
  if (item["class_"] === "image_observation") {
    return { ...observed(item.source, item.tool_call_id), content: [{ type: "image", path: item.content }], ...extra };
  }
  const shown = [item.url, item.axtree ?? item.html].filter((part) => typeof part === "string");
  return { ...observed("environment", item.tool_call_id), content: shown.join("\n"), ...extra };
}

type AdpAction = Extract<AdpItem, { reasoning_content?: unknown }>;

function reply(item: AdpAction, content: string, call?: Omit<ToolCall, "id">): Message {
  return {
    role: "assistant",
    content,
    ...(typeof item.reasoning_content === "string" ? { reasoning: item.reasoning_content } : {}),
    ...(call === undefined ? {} : { toolCalls: [{ id: item.tool_call_id ?? "", ...call }] }),
  };
}

/** The names the protocol's own way to ATIF gives to code. */
function codeCall(language: string, code: string): Omit<ToolCall, "id"> {
  if (language === "bash") return { name: "execute_bash", arguments: { command: code } };
  if (language === "python") return { name: "execute_ipython_cell", arguments: { code } };
  return { name: `execute_${language}`, arguments: { code } };
}

/** What a user said is a user message; what the world or another agent showed answers the action before it. */
function observed(
  from: string | null | undefined,
  call: string | null | undefined,
): Pick<Message, "role" | "toolCallId"> {
  return from === "user"
    ? { role: "user" }
    : { role: "tool", ...(typeof call === "string" ? { toolCallId: call } : {}) };
}
