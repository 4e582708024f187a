/**
 * A trajectory as the ATIF document that says as much of it as ATIF can, and nothing else.
 *
 * Each new message is a step, each reply an agent step, tool results the observation of the step before them. An
 * assistant message that is not the step's own reply was given to the model, so it is marked as copied context: nobody
 * should train on it.
 */
import { isObject, withoutUndefined } from "../../base/index.ts";
import type { JsonObject, Message, TrajectoryJson } from "../../trajectory/index.ts";
import {
  ATIF_VERSION,
  isStrictAtif,
  type AtifContent,
  type AtifDocument,
  type AtifMetrics,
  type AtifResult,
  type AtifStep,
  type AtifToolCall,
} from "./atif-schema.ts";
import { tokenMetrics } from "./atif-tokens.ts";
import { applyOverlay } from "./overlay.ts";

type StepJson = TrajectoryJson["steps"][number];
type Content = string | readonly JsonObject[];

export interface BuiltDocument {
  readonly document: AtifDocument;
  /** Positions in `document.steps` of the replies, one per step of the trajectory. */
  readonly replies: readonly number[];
}

/** What an import kept beside the trajectory is put back; kept things that no longer fit are left out. */
export function buildDocument(trajectory: TrajectoryJson, kept = true): BuiltDocument {
  const emitted: Emitted[] = [];
  const tokens = tokenMetrics(trajectory);
  trajectory.steps.forEach((step, index) => {
    for (const message of step.messages ?? bareObservation(step.observation, emitted)) emit(emitted, message);
    emitted.push({ step: replyStep(step, tokens[index] ?? {}), kept: step.reply?.extra?.["atif"], reply: true });
  });
  const { closing } = trajectory;
  if (closing !== undefined) {
    for (const message of closing.messages ?? bareObservation(closing.observation, emitted)) emit(emitted, message);
  }
  // ATIF wants at least one step.
  if (emitted.length === 0) emitted.push({ step: contextStep({ role: "system", content: "" }), reply: false });
  const plain = assemble(trajectory, emitted, false);
  const memory = trajectory.info?.["atif"];
  if (!kept || (!isObject(memory) && !emitted.some((item) => isObject(item.kept)))) return plain;
  const full = assemble(trajectory, emitted, true);
  return fits(full, emitted) ? full : plain;
}

interface Emitted {
  readonly step: Omit<AtifStep, "step_id">;
  /** The difference an import kept for this step. */
  readonly kept?: unknown;
  readonly reply: boolean;
}

function assemble(trajectory: TrajectoryJson, emitted: readonly Emitted[], kept: boolean): BuiltDocument {
  const steps = emitted.map((item, index) => {
    const step = { step_id: index + 1, ...item.step };
    return kept && isObject(item.kept) ? (applyOverlay(step, item.kept) as unknown as AtifStep) : step;
  });
  const root = rootFields(trajectory);
  const memory = trajectory.info?.["atif"];
  const difference = kept && isObject(memory) ? memory["document"] : undefined;
  const fields = isObject(difference) ? applyOverlay(root, difference) : root;
  const replies = emitted.flatMap((item, index) => (item.reply ? [index] : []));
  return { document: { ...fields, steps } as unknown as AtifDocument, replies };
}

/** Kept differences come from outside and may be stale: replies must stay replies, and the rules must hold. */
function fits({ document }: BuiltDocument, emitted: readonly Emitted[]): boolean {
  const same = emitted.every(({ reply }, index) => {
    const step = document.steps[index];
    return step !== undefined && reply === (step.source === "agent" && step.is_copied_context !== true);
  });
  return same && isStrictAtif(document);
}

function rootFields(trajectory: TrajectoryJson): JsonObject {
  const { policy, tools, usage } = trajectory;
  const totals = present({
    total_prompt_tokens: usage?.promptTokens,
    total_completion_tokens: usage?.completionTokens,
    total_cached_tokens: usage?.cachedTokens,
    total_cost_usd: usage?.costUsd,
  });
  return {
    schema_version: ATIF_VERSION,
    trajectory_id: trajectory.id,
    agent: {
      name: policy.name,
      version: policy.version === undefined ? "unknown" : String(policy.version),
      ...(policy.model === undefined ? {} : { model_name: policy.model }),
      ...(tools === undefined ? {} : { tool_definitions: tools }),
    },
    ...(totals === undefined ? {} : { final_metrics: totals }),
  };
}

/** Without chat structure the first observation opens the conversation; later ones answer the action before them. */
function bareObservation(observation: string, emitted: readonly Emitted[]): Message[] {
  if (observation === "") return [];
  return [{ role: emitted.length === 0 ? "user" : "tool", content: observation }];
}

function emit(emitted: Emitted[], message: Message): void {
  const last = emitted.at(-1);
  if (message.role !== "tool" || last === undefined) {
    emitted.push({ step: contextStep(message), kept: message.extra?.["atif"], reply: false });
    return;
  }
  const calls = new Set(last.step.tool_calls?.map((call) => call.tool_call_id));
  const known = message.toolCallId !== undefined && calls.has(message.toolCallId);
  const result: AtifResult = {
    ...(known ? { source_call_id: message.toolCallId } : {}),
    content: atifContent(message.content),
  };
  const results = [...(last.step.observation?.results ?? []), result];
  emitted[emitted.length - 1] = { ...last, step: { ...last.step, observation: { results } } };
}

function contextStep(message: Message): Omit<AtifStep, "step_id"> {
  if (message.role === "assistant") return { ...agentFields(message), is_copied_context: true };
  return { source: message.role === "system" ? "system" : "user", message: atifContent(message.content) };
}

function replyStep(step: StepJson, tokens: AtifMetrics): Omit<AtifStep, "step_id"> {
  const { usage, timing } = step;
  const reply: Message = step.reply ?? { role: "assistant", content: step.action };
  const fields = agentFields(reply);
  const metrics = present({
    prompt_tokens: usage?.promptTokens,
    completion_tokens: usage?.completionTokens,
    cached_tokens: usage?.cachedTokens,
    cost_usd: usage?.costUsd,
    ...tokens,
  });
  // Zero calls with metrics or reasoning would break a rule of ATIF; `extra` then has the number.
  const silent = metrics === undefined && fields.reasoning_content === undefined;
  const calls = usage?.modelCalls === 0 && !silent ? undefined : usage?.modelCalls;
  return {
    ...(timing?.startedAt === undefined ? {} : { timestamp: timing.startedAt }),
    ...fields,
    ...withoutUndefined({ metrics, llm_call_count: calls }),
  };
}

function agentFields(message: Message): Omit<AtifStep, "step_id"> {
  return {
    source: "agent",
    message: atifContent(message.content),
    ...(message.reasoning === undefined ? {} : { reasoning_content: message.reasoning }),
    ...(message.toolCalls === undefined ? {} : { tool_calls: message.toolCalls.map(atifCall) }),
  };
}

function atifCall(call: NonNullable<Message["toolCalls"]>[number]): AtifToolCall {
  const { id, name } = call;
  if (typeof call.arguments !== "string") {
    return { tool_call_id: id, function_name: name, arguments: call.arguments } as AtifToolCall;
  }
  return {
    tool_call_id: id,
    function_name: name,
    arguments: {},
    extra: { limbeck: { raw_arguments: call.arguments } },
  };
}

/** Text and images by path are ATIF's own; another part leaves a mark, and `extra` has it. */
function atifContent(content: Content): AtifContent {
  if (typeof content === "string") return content;
  return content.map((part) => {
    const { type, text, source } = part;
    if (type === "text" && typeof text === "string") return { type, text };
    if (type === "image" && isObject(source)) {
      const { media_type: media, path } = source;
      if (typeof media === "string" && typeof path === "string") return { type, source: { media_type: media, path } };
    }
    return { type: "text", text: `[${typeof type === "string" ? type : "other"} part]` };
  });
}

/** Without what is undefined; undefined when nothing is left. */
function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as T);
}
