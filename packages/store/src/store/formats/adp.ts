/** The Agent Data Protocol, versions 1.0 to 1.2: one trajectory per line, or an array. Its successor is ATIF. */
import { z } from "zod";
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { withoutUndefined } from "limbeck-base/base/fields";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { trajectoryFromJson, trajectoryToJson } from "limbeck-base/trajectory/schema";
import type { Message, Score, Step, ToolCall, Trajectory } from "limbeck-base/trajectory/trajectory";
import { totalScore } from "limbeck-base/trajectory/rows";
import { stepsFromChat, textOf } from "./chat-steps.ts";
import { asObjects } from "limbeck-recorder/wire/parts";
import { faultAt, type FileLine } from "./fault.ts";
import type { Format } from "./source.ts";
import { contentHash } from "./identity.ts";
import { readJsonValues } from "./json-values.ts";
import { readEach } from "./renamed.ts";
import { writeJsonLines } from "./target.ts";
import { applyOverlay, overlay } from "./overlay.ts";

export const adp: Format = {
  id: "adp",
  summary: "Agent Data Protocol 1.0 to 1.2, one trajectory per line; its successor is ATIF.",
  ending: /\.adp\.jsonl?(\.gz)?$/,
  sign: /"class_"\s*:\s*"\w+_(?:action|observation)"/,
  loses: "",
  read: (path, options) => readEach(path, readJsonValues(path, [], options), options, readAdpDocument),
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

export function readAdpDocument(value: unknown, place: FileLine): Trajectory {
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

/** What a user wrote is a user message; what the world or another agent showed answers the action before it. */
function observed(
  from: string | null | undefined,
  call: string | null | undefined,
): Pick<Message, "role" | "toolCallId"> {
  return from === "user"
    ? { role: "user" }
    : { role: "tool", ...(typeof call === "string" ? { toolCallId: call } : {}) };
}

// A trajectory as an Agent Data Protocol document: actions and observations in their order, and, under `details.limbeck`, what they
// cannot say, so that it reads back as exactly this trajectory.

const SCHEMA_VERSION = "1.2.0";
const OWN_VERSION = 1;

type ReadPlain = (document: JsonObject) => Trajectory;

/** The document, as `readPlain` and the difference make the trajectory of it again. */
function toAdp(trajectory: Trajectory, readPlain: ReadPlain): JsonObject {
  const target = trajectoryToJson(trajectory);
  const { document, read } = builtDocument(trajectory, readPlain);
  const { steps: plainSteps, ...plain } = trajectoryToJson(read);
  const { steps: targetSteps, ...rest } = target;
  const steps = targetSteps.map((step, index) => overlay(plainSteps[index] ?? {}, step) ?? null);
  const difference = overlay(plain, rest);
  const same = targetSteps.length === plainSteps.length && steps.every((step) => step === null);
  if (difference === undefined && same) return document;
  const own = { version: OWN_VERSION, ...(difference === undefined ? {} : { trajectory: difference }), steps };
  return { ...document, details: { ...(isObject(document["details"]) ? document["details"] : {}), limbeck: own } };
}

/** What an import kept beside the trajectory is put back, unless it no longer is what the protocol knows. */
function builtDocument(
  trajectory: Trajectory,
  readPlain: ReadPlain,
): { readonly document: JsonObject; readonly read: Trajectory } {
  const built = (isKept: boolean): JsonObject =>
    withoutEmptyDetails({
      schema_version: SCHEMA_VERSION,
      ...(trajectory.tools === undefined ? {} : { available_custom_tools: trajectory.tools }),
      ...(isKept && isObject(trajectory.info?.["adp"]) ? trajectory.info["adp"] : {}),
      id: trajectory.id,
      content: contentOf(trajectory, isKept),
    });
  const document = built(true);
  try {
    return { document, read: readPlain(document) };
  } catch {
    // What cannot be read back is built again without the parts that were kept as they were.
    const plain = built(false);
    return { document: plain, read: readPlain(plain) };
  }
}

/** The trajectory of a document: what it plainly says, with our own difference where it has one. */
function fromAdp(document: JsonObject, readPlain: ReadPlain, place: FileLine): Trajectory {
  const { details } = document;
  const own = isObject(details) ? details["limbeck"] : undefined;
  if (!isObject(details) || !isObject(own)) return readPlain(document);
  if (own["version"] !== OWN_VERSION) {
    const found = JSON.stringify(own["version"] ?? null);
    throw faultAt(place, "bad-adp", `details.limbeck has version ${found}; known is ${OWN_VERSION}. Update limbeck.`);
  }
  const { limbeck: _own, ...others } = details;
  const { steps: plainSteps, ...plain } = trajectoryToJson(
    readPlain(withoutEmptyDetails({ ...document, details: others })),
  );
  const { trajectory } = own;
  const kept = Array.isArray(own["steps"]) ? own["steps"] : [];
  const steps = kept.map((step, index) =>
    isObject(step) ? applyOverlay(plainSteps[index] ?? {}, step) : plainSteps[index],
  );
  const rest = isObject(trajectory) ? applyOverlay(plain, trajectory) : plain;
  try {
    return trajectoryFromJson({ ...rest, steps });
  } catch (error) {
    throw faultAt(place, "bad-adp", error instanceof Error ? error.message : String(error));
  }
}

/** An empty `details` looks like none once ours has been taken out of it. */
function withoutEmptyDetails(document: JsonObject): JsonObject {
  const { details, ...rest } = document;
  return isObject(details) && Object.keys(details).length === 0 ? rest : document;
}

function contentOf({ steps, closing }: Trajectory, isKept: boolean): JsonObject[] {
  const items = (messages: readonly Message[]): JsonObject[] => messages.flatMap((message) => itemsOf(message, isKept));
  return [
    ...steps.flatMap((step, at) => {
      const [first = {}, ...others] = items([step.reply ?? { role: "assistant", content: step.action }]);
      // A step has one reward; the first of its actions carries it.
      const rewarded = step.reward.kind === "scored" ? { ...first, reward: step.reward.value } : first;
      return [...items(step.messages ?? bare(step.observation, at)), rewarded, ...others];
    }),
    ...(closing === undefined ? [] : items(closing.messages ?? bare(closing.observation, steps.length))),
  ];
}

/** Without chat structure the first observation opens the conversation; later ones answer the action before them. */
function bare(observation: string, at: number): Message[] {
  return observation === "" ? [] : [{ role: at === 0 ? "user" : "tool", content: observation }];
}

function itemsOf(message: Message, isKept: boolean): JsonObject[] {
  const kept = isKept ? keptItem(message) : undefined;
  if (kept !== undefined) return [kept];
  if (message.role === "assistant") return actionsOf(message);
  const source = message.role === "user" ? "user" : "environment";
  const about = withoutUndefined({ source, name: message.name, tool_call_id: message.toolCallId });
  const path = typeof message.content === "string" ? undefined : message.content[0]?.["path"];
  if (typeof path === "string") return [{ class_: "image_observation", content: path, ...about }];
  return [{ class_: "text_observation", content: textOf(message.content), ...about }];
}

/** One action, or one for every call. */
function actionsOf(message: Message): JsonObject[] {
  const text = textOf(message.content);
  const thought = message.reasoning === undefined ? {} : { reasoning_content: message.reasoning };
  const [first, ...others] = message.toolCalls ?? [];
  if (first === undefined) return [{ class_: "message_action", content: text, ...thought }];
  const said = text === "" ? {} : { description: text };
  return [{ ...callOf(first), ...said, ...thought }, ...others.map(callOf)];
}

/** Calls that are code, as adp.ts names them, with the argument that holds it. A map: a tool may be called "valueOf". */
const CODE: ReadonlyMap<string, readonly [language: string, field: string]> = new Map([
  ["execute_bash", ["bash", "command"]],
  ["execute_ipython_cell", ["python", "code"]],
]);

function callOf({ id, name, arguments: given }: ToolCall): JsonObject {
  const call = id === "" ? {} : { tool_call_id: id };
  const [language, field = ""] = CODE.get(name) ?? [];
  const code = isObject(given) && Object.keys(given).length === 1 ? given[field] : undefined;
  if (language !== undefined && typeof code === "string") {
    return { class_: "code_action", language, content: code, ...call };
  }
  return { class_: "api_action", function: name, kwargs: isObject(given) ? given : {}, ...call };
}

/** An item as it was read, without its reward, which stands on the action. */
function keptItem({ extra }: Message): JsonObject | undefined {
  const item = extra?.["adp"];
  if (!isObject(item)) return undefined;
  const { reward: _reward, ...rest } = item;
  return rest;
}
