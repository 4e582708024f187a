/**
 * A trajectory as an Agent Data Protocol document: actions and observations in their order, and, under `details.limbeck`,
 * what they cannot say, so that it reads back as exactly this trajectory.
 */
import { isObject, withoutUndefined } from "../../base/index.ts";
import {
  trajectoryFromJson,
  trajectoryToJson,
  type JsonObject,
  type Message,
  type ToolCall,
  type Trajectory,
} from "../../trajectory/index.ts";
import { textOf } from "./chat-steps.ts";
import { faultAt, type Place } from "./fault.ts";
import { applyOverlay, overlay } from "./overlay.ts";

const SCHEMA_VERSION = "1.2.0";
const OWN_VERSION = 1;

type ReadPlain = (document: JsonObject) => Trajectory;

/** The document, as `readPlain` and the difference make the trajectory of it again. */
export function toAdp(trajectory: Trajectory, readPlain: ReadPlain): JsonObject {
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
export function fromAdp(document: JsonObject, readPlain: ReadPlain, place: Place): Trajectory {
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

/** An empty `details` cannot be told from none once ours has been taken out of it. */
function withoutEmptyDetails(document: JsonObject): JsonObject {
  const { details, ...rest } = document;
  return isObject(details) && Object.keys(details).length === 0 ? rest : document;
}

function contentOf({ steps, closing }: Trajectory, isKept: boolean): JsonObject[] {
  const items = (messages: readonly Message[]): JsonObject[] => messages.flatMap((message) => itemsOf(message, isKept));
  return [
    ...steps.flatMap((step, at) => {
      const [first = {}, ...others] = items([step.reply ?? { role: "assistant", content: step.action }]);
      // A step has one reward; the first of its actions tells it.
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
