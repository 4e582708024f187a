/**
 * A trajectory as the ATIF document that says as much of it as ATIF can, and nothing else.
 *
 * Each new message is a step, each reply an agent step, tool results the observation of the step before them. An
 * assistant message that is not the step's own reply was given to the model, so it is marked as copied context: nothing
 * should train on it.
 */
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { withoutUndefined } from "limbeck-base/base/fields";
import { unscored } from "limbeck-base/trajectory/score";
import type { Message, Step } from "limbeck-base/trajectory/trajectory";
import type { TrajectoryJson } from "limbeck-base/trajectory/schema";
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
import { applyOverlay, overlay } from "./overlay.ts";
import { chatStep, observationOf, textOf } from "./chat-steps.ts";
import { contentHash } from "./identity.ts";

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
  const totals = numbers({
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

// Exact tokens between ATIF, which repeats the whole prompt at each step, and streams, which hold each token once. A step whose
// prompt begins with everything its stream holds so far goes on in that stream; any other begins a new one.

type StreamJson = TrajectoryJson["streams"][number];
type SpanJson = NonNullable<Step["span"]>;

/**
 * Prompts of one document together: about 6 MB of text. Repeating every prompt is quadratic in the length of a
 * trajectory, so longer ones leave them out; the streams under `extra.limbeck` have them.
 */
const MAX_PROMPT_IDS = 1_000_000;

export function createStreams(): {
  readonly streams: StreamJson[];
  readonly add: (metrics: AtifMetrics) => SpanJson | undefined;
} {
  const streams: StreamJson[] = [];
  const add = (metrics: AtifMetrics): SpanJson | undefined => {
    const { prompt_token_ids: prompt, completion_token_ids: completion, logprobs } = metrics;
    if (!completion) return undefined;
    let stream = streams.at(-1);
    if (stream === undefined || !prompt || !startsWith(prompt, stream.ids)) {
      stream = { ids: [], mask: [] };
      streams.push(stream);
    }
    extend(stream, (prompt ?? []).slice(stream.ids.length), 0);
    const start = stream.ids.length;
    extend(stream, completion, 1);
    if (logprobs) {
      stream.logprobs ??= Array.from({ length: start }, () => 0);
      for (const value of logprobs) stream.logprobs.push(value);
    } else if (stream.logprobs !== undefined) pad(stream);
    return { stream: streams.length - 1, start, end: stream.ids.length };
  };
  return { streams, add };
}

function extend(stream: StreamJson, ids: readonly number[], mask: 0 | 1): void {
  for (const id of ids) {
    stream.ids.push(id);
    stream.mask.push(mask);
  }
  if (mask === 0 && stream.logprobs !== undefined) pad(stream);
}

/** Missing statistics of tokens are 0. */
function pad(stream: StreamJson): void {
  while (stream.logprobs !== undefined && stream.logprobs.length < stream.ids.length) stream.logprobs.push(0);
}

function startsWith(ids: readonly number[], prefix: readonly number[]): boolean {
  return ids.length >= prefix.length && prefix.every((id, index) => id === ids[index]);
}

type TokenMetrics = Pick<AtifMetrics, "prompt_token_ids" | "completion_token_ids" | "logprobs">;

/** The token fields of each step that has a span in a stream that is there. */
function tokenMetrics(trajectory: TrajectoryJson): TokenMetrics[] {
  const spans = trajectory.steps.map((step) => {
    const stream = step.span === undefined ? undefined : trajectory.streams[step.span.stream];
    return step.span === undefined || stream === undefined ? undefined : { ...step.span, stream };
  });
  const withPrompts = spans.reduce((sum, span) => sum + (span?.start ?? 0), 0) <= MAX_PROMPT_IDS;
  return spans.map((span) => {
    if (span === undefined) return {};
    const { stream, start, end } = span;
    return {
      ...(withPrompts ? { prompt_token_ids: stream.ids.slice(0, start) } : {}),
      completion_token_ids: stream.ids.slice(start, end),
      ...(stream.logprobs === undefined ? {} : { logprobs: stream.logprobs.slice(start, end) }),
    };
  });
}

// The plain meaning of an ATIF document: without our own `extra.limbeck`. What our trajectory has no
// field for is kept as differences under `extra.atif` of the messages and `info.atif`.

type MessageJson = NonNullable<StepJson["reply"]>;

/** `parent`: the trajectory this document is a sub-agent of. */
export function readPlain(document: AtifDocument, parent?: string): TrajectoryJson {
  const bare = readAssembled(document, [], undefined, parent);
  const again = buildDocument(bare, false).document;
  const kept = document.steps.map((step, index) => overlay(again.steps[index] ?? {}, step));
  const difference = overlay(rootOf(again), rootOf(document));
  return readAssembled(document, kept, difference, parent);
}

/** Arguments that are text against the rules move to where our own exports keep them, so that the rest sees objects only. */
export function withoutTextArguments(document: AtifDocument): AtifDocument {
  const isText = (call: AtifToolCall): boolean => typeof call.arguments === "string";
  if (!document.steps.some((step) => step.tool_calls?.some(isText) === true)) return document;
  return {
    ...document,
    steps: document.steps.map((step) => {
      if (step.tool_calls?.some(isText) !== true) return step;
      return { ...step, tool_calls: step.tool_calls.map((call) => (isText(call) ? objectArguments(call) : call)) };
    }),
  };
}

function objectArguments(call: AtifToolCall): AtifToolCall {
  return { ...call, arguments: {}, extra: { ...call.extra, limbeck: { raw_arguments: call.arguments } } };
}

function rootOf(document: AtifDocument): object {
  const { steps: _steps, subagent_trajectories: agents, ...root } = document;
  // An empty list has no sub-agent to tell of it; it is kept like any other field.
  return agents === undefined || (agents !== null && agents.length > 0)
    ? root
    : { ...root, subagent_trajectories: agents };
}

function readAssembled(
  document: AtifDocument,
  kept: readonly (JsonObject | undefined)[],
  difference: JsonObject | undefined,
  parent: string | undefined,
): TrajectoryJson {
  const { agent } = document;
  const { streams, add } = createStreams();
  const steps: StepJson[] = [];
  let fresh: MessageJson[] = [];
  document.steps.forEach((step, index) => {
    const head = headMessage(step, kept[index]);
    if (step.source === "agent" && step.is_copied_context !== true) {
      const plain = chatStep(steps.length, fresh, head, unscored("ATIF holds no reward")) as StepJson;
      const span = step.metrics ? add(step.metrics) : undefined;
      steps.push({ ...plain, ...(span === undefined ? {} : { span }), ...facts(step) });
      fresh = [];
    } else fresh.push(head);
    fresh.push(...results(step));
  });
  const first = (source: AtifStep["source"]): string =>
    textOf(messageContent(document.steps.find((step) => step.source === source)?.message ?? ""));
  const goal = first("user");
  const task = `atif-${contentHash([first("system"), goal])}`;
  const version = /^(0|-?[1-9]\d{0,8})$/.test(agent.version) ? Number(agent.version) : undefined;
  const usage = totals(document);
  const memory = {
    ...withoutUndefined({ document: difference, subagentOf: parent }),
  };
  return {
    id: idOf(document),
    task: { id: task, env: "atif", seed: 0, goal, split: "train" },
    group: task,
    steps,
    streams,
    ending: "terminated",
    reward: unscored("ATIF holds no reward"),
    success: null,
    rewards: [],
    policy: {
      name: agent.name === "" ? "agent" : agent.name,
      ...(version === undefined ? {} : { version }),
      ...(typeof agent.model_name === "string" ? { model: agent.model_name } : {}),
    },
    ...(usage === undefined ? {} : { usage }),
    ...(fresh.length === 0 ? {} : { closing: { observation: observationOf(fresh), messages: fresh } }),
    ...(agent.tool_definitions ? { tools: agent.tool_definitions } : {}),
    ...(Object.keys(memory).length === 0 ? {} : { info: { atif: memory } }),
  } as TrajectoryJson;
}

function idOf(document: AtifDocument): string {
  const { subagent_trajectories: _agents, ...own } = document;
  const given = [document.trajectory_id, document.session_id].find((id) => typeof id === "string" && id !== "");
  return given ?? `atif-${contentHash(own)}`;
}

function headMessage(step: AtifStep, kept: JsonObject | undefined): MessageJson {
  const calls = step.tool_calls;
  return {
    role: step.source === "agent" ? "assistant" : step.source,
    content: messageContent(step.message),
    ...(typeof step.reasoning_content === "string" ? { reasoning: step.reasoning_content } : {}),
    ...(calls ? { toolCalls: calls.map(readCall) } : {}),
    ...(kept === undefined ? {} : { extra: { atif: kept } }),
  } as MessageJson;
}

function readCall(call: AtifToolCall): NonNullable<MessageJson["toolCalls"]>[number] {
  const own = call.extra?.["limbeck"];
  const raw = isObject(own) ? own["raw_arguments"] : undefined;
  return {
    id: call.tool_call_id,
    name: call.function_name,
    arguments: typeof raw === "string" ? raw : call.arguments,
  };
}

function results(step: AtifStep): MessageJson[] {
  return (step.observation?.results ?? []).map(
    (result) =>
      ({
        role: "tool",
        content: messageContent(result.content ?? ""),
        ...(typeof result.source_call_id === "string" ? { toolCallId: result.source_call_id } : {}),
      }) as MessageJson,
  );
}

function messageContent(content: AtifContent): Message["content"] {
  return content;
}

function facts(step: AtifStep): Pick<StepJson, "timing" | "usage"> {
  const { metrics } = step;
  const startedAt = utc(step.timestamp ?? "");
  const usage = numbers({
    promptTokens: metrics?.prompt_tokens,
    completionTokens: metrics?.completion_tokens,
    cachedTokens: metrics?.cached_tokens,
    modelCalls: step.llm_call_count,
    costUsd: metrics?.cost_usd,
  });
  return {
    ...(startedAt === undefined ? {} : { timing: { startedAt } }),
    ...(usage === undefined ? {} : { usage }),
  };
}

function totals(document: AtifDocument): TrajectoryJson["usage"] {
  const total = document.final_metrics;
  return numbers({
    promptTokens: total?.total_prompt_tokens,
    completionTokens: total?.total_completion_tokens,
    cachedTokens: total?.total_cached_tokens,
    costUsd: total?.total_cost_usd,
  });
}

function numbers(fields: Readonly<Record<string, number | null | undefined>>): Record<string, number> | undefined {
  const entries = Object.entries(fields).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;
const OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?[+-]\d\d:\d\d$/;

/** A time in UTC stays as written; one with an offset is converted where milliseconds can hold it; others are only kept. */
function utc(time: string): string | undefined {
  const valid = !Number.isNaN(Date.parse(time));
  if (valid && UTC.test(time)) return time;
  return valid && OFFSET.test(time) ? new Date(time).toISOString() : undefined;
}
