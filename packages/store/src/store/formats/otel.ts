/**
 * OpenTelemetry GenAI spans as OTLP JSON: one export document per line, as collectors write them, or one large
 * document; a file or a folder of files. Written as one document per trajectory and line.
 */
import { createHash } from "node:crypto";
import { throwIfAborted } from "limbeck-base/base/errors";
import type { Trajectory, Message, Reward, Score, Step } from "limbeck-base/trajectory/trajectory";
import type { Json, JsonObject } from "limbeck-base/base/json";
import { attempt } from "./fault.ts";
import type { Format, ReadOptions } from "./source.ts";
import { readJsonValues } from "./json-values.ts";
import { readTrace } from "./otel-read.ts";
import { TraceCollector, type Trace } from "./otel-traces.ts";
import { readSpan, SPAN_PATH, spansOf, writeAttributes } from "./otlp.ts";
import { createRenamer } from "./renamed.ts";
import { writeJsonLines } from "./target.ts";
import { textOf } from "./chat-steps.ts";
import { writeOtelMessage, writeOtelReply } from "./otel-messages.ts";

export const otel: Format = {
  id: "otel",
  summary: "OpenTelemetry GenAI spans as OTLP JSON; agents become trajectories, model calls become steps.",
  ending: /\.otlp\.jsonl?(\.gz)?$/,
  sign: /"resourceSpans"\s*:/,
  loses: "tokens and log-probabilities, prompts, costs, the split of time inside a step, and free info fields",
  read: readOtel,
  write: (path, trajectories, options) =>
    writeJsonLines(path, trajectories, (trajectory) => toOtlp(trajectory, options.content ?? true), options),
};

async function* readOtel(path: string, options: ReadOptions): AsyncGenerator<Trajectory, void, undefined> {
  const rename = createRenamer(options);
  const collector = new TraceCollector();
  const finish = function* (trace: Trace): Generator<Trajectory, void, undefined> {
    const found = attempt(trace.place, options, () => readTrace(trace)) ?? [];
    throwIfAborted(options.signal);
    for (const trajectory of found) yield rename(trajectory, trace.place);
  };
  for await (const { value, file, line, whole } of readJsonValues(path, SPAN_PATH, options)) {
    const place = { file, line };
    const spans = whole ? (attempt(place, options, () => spansOf(value, place)) ?? []) : [value];
    for (const span of spans) attempt(place, options, () => collector.add(readSpan(span, place), place));
    for (const trace of collector.ready()) yield* finish(trace);
  }
  for (const trace of collector.rest()) yield* finish(trace);
}

// A trajectory as spans: `invoke_agent` for the whole, one `chat` child per step, one `execute_tool` child per tool call, and an
// evaluation event per score. Ids follow from the trajectory's id, so that an export repeats exactly. Token arrays stay out of
// spans; `limbeck.trajectory.id` leads from the telemetry to the store.

/** The conventions whose names are used; the last release that held the GenAI part. */
const SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0";
const [INTERNAL, CLIENT] = [1, 3];

type Fields = Readonly<Record<string, Json | undefined>>;

/** One OTLP export document. `content`: whether texts go along. */
export function toOtlp(trajectory: Trajectory, content: boolean): JsonObject {
  return {
    resourceSpans: [
      {
        resource: { attributes: writeAttributes({ "service.name": "limbeck" }) },
        scopeSpans: [{ scope: { name: "limbeck" }, spans: toSpans(trajectory, content), schemaUrl: SCHEMA_URL }],
        schemaUrl: SCHEMA_URL,
      },
    ],
  };
}

function toSpans(trajectory: Trajectory, content: boolean): JsonObject[] {
  const { id, parent, policy } = trajectory;
  const root = spanIdOf(id, "agent");
  const own = { traceId: traceIdOf(id) };
  const clock = times(trajectory);
  const failed = trajectory.ending === "failed" || trajectory.failure !== undefined;
  const events = [
    evaluation("reward", trajectory.reward, {}, content),
    ...trajectory.rewards.filter((reward) => reward.step === undefined).map((reward) => rewardEvent(reward, content)),
  ];
  const agent: JsonObject = {
    ...own,
    spanId: root,
    name: `invoke_agent ${policy.name}`,
    kind: INTERNAL,
    ...clock.whole,
    attributes: writeAttributes(agentFields(trajectory, content)),
    events: events.map((event) => ({ timeUnixNano: clock.whole.endTimeUnixNano, ...event })),
    ...(parent === undefined
      ? {}
      : { links: [{ traceId: traceIdOf(parent.trajectory), spanId: spanIdOf(parent.trajectory, "agent") }] }),
    status: failed ? { code: 2, message: trajectory.failure?.message ?? "" } : { code: 0 },
  };
  const children = trajectory.steps.flatMap((step, position) => {
    const time = clock.steps[position] ?? clock.whole;
    const scores = [
      evaluation("reward", step.reward, {}, content),
      ...trajectory.rewards
        .filter((reward) => reward.step === step.index)
        .map((reward) => rewardEvent(reward, content)),
    ];
    const chat: JsonObject = {
      ...own,
      spanId: spanIdOf(id, `step ${position}`),
      parentSpanId: root,
      name: `chat ${policy.model ?? policy.name}`,
      kind: CLIENT,
      ...time,
      attributes: writeAttributes(stepFields(trajectory, step, content)),
      events: scores.map((event) => ({ timeUnixNano: time.endTimeUnixNano, ...event })),
    };
    const after = trajectory.steps[position + 1]?.messages ?? trajectory.closing?.messages ?? [];
    return [
      chat,
      ...toolSpans(step, position, after, { ...own, parentSpanId: root, ...clock.after(position) }, id, content),
    ];
  });
  return [agent, ...children];
}

function agentFields(trajectory: Trajectory, content: boolean): Fields {
  const { task, parent, policy, closing, usage } = trajectory;
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": "limbeck",
    "gen_ai.agent.name": policy.name,
    "gen_ai.request.model": policy.model,
    "error.type": trajectory.failure?.code,
    ...usageFields(usage),
    "gen_ai.tool.definitions": content ? trajectory.tools : undefined,
    "limbeck.trajectory.id": trajectory.id,
    "limbeck.group": trajectory.group,
    "limbeck.policy.version": policy.version,
    "limbeck.task.id": task.id,
    "limbeck.task.env": task.env,
    "limbeck.task.seed": task.seed,
    "limbeck.task.split": task.split,
    "limbeck.task.goal": content ? task.goal : undefined,
    "limbeck.task.data": content ? task.data : undefined,
    "limbeck.parent.trajectory": parent?.trajectory,
    "limbeck.parent.step": parent?.step,
    "limbeck.parent.token": parent?.token,
    "limbeck.ending": trajectory.ending,
    "limbeck.success": trajectory.success ?? undefined,
    "limbeck.closing.observation": content ? closing?.observation : undefined,
    "limbeck.closing.messages": content ? closing?.messages?.map(writeOtelMessage) : undefined,
  };
}

function stepFields(trajectory: Trajectory, step: Step, content: boolean): Fields {
  const { policy } = trajectory;
  const messages: readonly Message[] = step.messages ?? [{ role: "user", content: step.observation }];
  const reply: Message = step.reply ?? { role: "assistant", content: step.action };
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "limbeck",
    "gen_ai.request.model": policy.model,
    ...usageFields(step.usage),
    "gen_ai.input.messages": content ? messages.map(writeOtelMessage) : undefined,
    "gen_ai.output.messages": content ? [writeOtelReply(reply)] : undefined,
    // Only what was new to the model: repeating the history at each step would make the trace quadratic.
    "limbeck.input": "new",
    "limbeck.trajectory.id": trajectory.id,
    "limbeck.step.index": step.index,
    "limbeck.step.state_key": step.stateKey,
    "limbeck.step.valid": step.valid,
    "limbeck.step.chat": step.messages !== undefined && step.reply !== undefined,
    "limbeck.step.observation": content ? step.observation : undefined,
    "limbeck.step.action": content ? step.action : undefined,
  };
}

function toolSpans(
  step: Step,
  position: number,
  after: readonly Message[],
  shared: JsonObject,
  id: string,
  content: boolean,
): JsonObject[] {
  return (step.reply?.toolCalls ?? []).map((call, number) => {
    const result = after.find((message) => message.role === "tool" && message.toolCallId === call.id);
    return {
      ...shared,
      spanId: spanIdOf(id, `tool ${position} ${number}`),
      name: `execute_tool ${call.name}`,
      kind: INTERNAL,
      attributes: writeAttributes({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.call.arguments": content ? call.arguments : undefined,
        "gen_ai.tool.call.result": content && result !== undefined ? textOf(result.content) : undefined,
        "limbeck.trajectory.id": id,
      }),
    };
  });
}

function usageFields(usage: Trajectory["usage"]): Fields {
  return {
    "gen_ai.usage.input_tokens": usage?.promptTokens,
    "gen_ai.usage.output_tokens": usage?.completionTokens,
    "gen_ai.usage.cache_read.input_tokens": usage?.cachedTokens,
  };
}

function rewardEvent(reward: Reward, content: boolean): JsonObject {
  const more = {
    "limbeck.reward.source": reward.source,
    "gen_ai.evaluation.explanation": content ? reward.comment : undefined,
    "limbeck.reward.tokens": reward.tokens,
    // A judge may call its own score "reward"; this marks the sum.
    "limbeck.reward.named": true,
  };
  return evaluation(reward.name, reward.score, more, content);
}

function evaluation(name: string, score: Score, more: Fields, content: boolean): JsonObject {
  return {
    name: "gen_ai.evaluation.result",
    attributes: writeAttributes({
      "gen_ai.evaluation.name": name,
      "gen_ai.evaluation.score.value": score.kind === "scored" ? score.value : undefined,
      "limbeck.unscored.why": score.kind === "unscored" && content ? score.why : undefined,
      ...more,
    }),
  };
}

type Interval = { readonly startTimeUnixNano: string; readonly endTimeUnixNano: string };

/** Known times exactly; an unknown start is that of the whole, an unknown length 0; 0 where nothing is known. */
function times(trajectory: Trajectory): {
  readonly whole: Interval;
  readonly steps: readonly Interval[];
  after(position: number): Interval;
} {
  const fallback =
    trajectory.timing?.startedAt ?? trajectory.steps.find((step) => step.timing?.startedAt)?.timing?.startedAt;
  const interval = (timing: Trajectory["timing"]): Interval => {
    const start = nanosOf(timing?.startedAt ?? fallback);
    const length = Math.max(0, timing?.durationMs ?? 0) * 1e6;
    // Beyond this a length is nonsense, and the sum would not fit the 64 bits of the format.
    const end = length < 1e18 ? start + BigInt(Math.round(length)) : start;
    return { startTimeUnixNano: String(start), endTimeUnixNano: String(end) };
  };
  const steps = trajectory.steps.map((step) => interval(step.timing));
  return {
    whole: interval(trajectory.timing),
    steps,
    after: (position) => {
      const end = steps[position]?.endTimeUnixNano ?? "0";
      return { startTimeUnixNano: end, endTimeUnixNano: end };
    },
  };
}

function nanosOf(time: string | undefined): bigint {
  const millis = Date.parse(time ?? "");
  if (time === undefined || Number.isNaN(millis) || millis < 0) return 0n;
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? "";
  return BigInt(Math.floor(millis / 1000)) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
}

function traceIdOf(id: string): string {
  return createHash("sha256").update(`trace ${id}`).digest("hex").slice(0, 32);
}

function spanIdOf(id: string, part: string): string {
  return createHash("sha256").update(`${part} of ${id}`).digest("hex").slice(0, 16);
}
