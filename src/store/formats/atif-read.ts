/**
 * The plain meaning of an ATIF document: what anybody's document says, without our own `extra.limbeck`.
 * What our trajectory has no field for is kept as differences under `extra.atif` of the messages and `info.atif`.
 */
import { isObject, withoutUndefined } from "../../base/index.ts";
import { unscored, type JsonObject, type Message, type TrajectoryJson } from "../../trajectory/index.ts";
import { buildDocument } from "./atif-build.ts";
import type { AtifContent, AtifDocument, AtifStep, AtifToolCall } from "./atif-schema.ts";
import { createStreams } from "./atif-tokens.ts";
import { chatStep, observationOf, textOf } from "./chat-steps.ts";
import { contentHash } from "./identity.ts";
import { overlay } from "./overlay.ts";

type StepJson = TrajectoryJson["steps"][number];
type MessageJson = NonNullable<StepJson["reply"]>;

/** `parent`: the trajectory this document is a sub-agent of. */
export function readPlain(document: AtifDocument, parent?: string): TrajectoryJson {
  const bare = assemble(document, [], undefined, parent);
  const again = buildDocument(bare, false).document;
  const kept = document.steps.map((step, index) => overlay(again.steps[index] ?? {}, step));
  const difference = overlay(rootOf(again), rootOf(document));
  return assemble(document, kept, difference, parent);
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

function assemble(
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
