/**
 * Spans as they come over OTLP/HTTP, held until their trace is complete, then read by the same mapping as an import of
 * the same spans from a file: the same ids, so nothing is counted twice. Spans of a trace that is not complete are in
 * memory only.
 */
import { EngineError, isObject } from "../base/index.ts";
import { parseJson } from "../store/formats/json-fault.ts";
import { otelTaskId } from "../store/formats/otel-facts.ts";
import { readTrace } from "../store/formats/otel-read.ts";
import { readSpan, spansOf, structured, type Attributes, type Span } from "../store/formats/otlp.ts";
import { chatTaskId, NO_OUTCOME, usageOf } from "../store/formats/recorded-trajectory.ts";
import { unscored, type JsonObject, type Score, type Trajectory } from "../trajectory/index.ts";
import { fromAiSdk } from "./ai-sdk-spans.ts";
import { readTraceRequest } from "./otlp-protobuf.ts";
import type { Redactor } from "./recorder/redact.ts";
import type { RecordingsSink } from "./recordings-sink.ts";

export interface SpanInbox {
  take(body: Buffer, type: string): { readonly type: string; readonly body: string | Uint8Array };
  tick(): Promise<void>;
  close(): Promise<void>;
}

export interface SpanInboxOptions {
  readonly recordings: RecordingsSink;
  readonly redactor: Redactor;
  readonly clock?: () => number;
}

interface Held {
  /** By their ids: an exporter that got no answer sends again. */
  readonly spans: Map<string, Span>;
  rooted: boolean;
  lastMs: number;
}

const PLACE = { file: "request", line: 1 };
/** Exporters send in batches every few seconds; the root comes last. */
const QUIET_MS = 5000;
const FORGOTTEN_MS = 600_000;
const MOST_HELD_BYTES = 256 * 1024 * 1024;
/** Attributes that hold JSON, redacted as what they say. */
const STRUCTURED = [
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.definitions",
  "ai.prompt.messages",
  "ai.response.toolCalls",
];
const IDS = [
  "limbeck.trajectory.id",
  "limbeck.task.id",
  "limbeck.group",
  "limbeck.parent.trajectory",
  "ai.telemetry.metadata.run",
  "ai.telemetry.metadata.task",
  "ai.telemetry.metadata.group",
];

export function createSpanInbox({
  recordings,
  redactor,
  clock = () => performance.now(),
}: SpanInboxOptions): SpanInbox {
  const traces = new Map<string, Held>();
  let heldBytes = 0;
  const give = async (due: (held: Held) => boolean): Promise<void> => {
    for (const [id, held] of traces) {
      if (!due(held)) continue;
      traces.delete(id);
      const spans = [...held.spans.values()];
      for (const span of spans) heldBytes -= span.weight;
      for (const trajectory of readTrace({ id, spans, place: PLACE })) {
        await recordings.addTrajectory(asRecorded(trajectory));
      }
    }
  };
  return {
    take: (body, type) => {
      const binary = type.startsWith("application/x-protobuf");
      const document = binary ? readTraceRequest(body) : parseJson(body.toString("utf8"), PLACE);
      const spans = spansOf(document, PLACE).map((span) => fromAiSdk(cleanSpan(readSpan(span, PLACE), redactor)));
      const weight = spans.reduce((sum, span) => sum + span.weight, 0);
      if (heldBytes + weight > MOST_HELD_BYTES) {
        throw new EngineError(
          "body-too-large",
          "Too many spans wait for the end of their traces. Send again in a while.",
        );
      }
      for (const span of spans) {
        const held = traces.get(span.traceId) ?? { spans: new Map<string, Span>(), rooted: false, lastMs: 0 };
        heldBytes += span.weight - (held.spans.get(span.spanId)?.weight ?? 0);
        held.spans.set(span.spanId, span);
        held.rooted ||= span.parentSpanId === undefined;
        held.lastMs = clock();
        traces.set(span.traceId, held);
      }
      // An empty response message has no bytes.
      return binary
        ? { type: "application/x-protobuf", body: new Uint8Array() }
        : { type: "application/json", body: "{}" };
    },
    tick: () =>
      give(({ rooted, lastMs }) => {
        const quietMs = clock() - lastMs;
        return (rooted && quietMs >= QUIET_MS) || quietMs >= FORGOTTEN_MS;
      }),
    close: () => give(() => true),
  };
}

function cleanSpan(span: Span, redactor: Redactor): Span {
  return {
    ...span,
    name: redactor.text(span.name),
    attributes: cleanAttributes(span.attributes, redactor),
    events: span.events.map((event) => ({ ...event, attributes: cleanAttributes(event.attributes, redactor) })),
    ...(span.error === undefined ? {} : { error: redactor.text(span.error) }),
  };
}

function cleanAttributes(attributes: Attributes, redactor: Redactor): Attributes {
  const parsed = Object.entries(attributes).map(([name, value]) => [
    name,
    STRUCTURED.includes(name) ? (structured(value) ?? value) : value,
  ]);
  const clean = redactor.object(Object.fromEntries(parsed) as JsonObject);
  const ids = IDS.flatMap((name): [string, string][] => {
    const value = attributes[name];
    return typeof value === "string" ? [[name, redactor.id(value)]] : [];
  });
  return { ...clean, ...Object.fromEntries(ids) };
}

/** The words of a recording for what spans leave open. */
function asRecorded(trajectory: Trajectory): Trajectory {
  const open = (score: Score): Score => (score.kind === "scored" ? score : unscored(NO_OUTCOME));
  const { task: given, steps, closing, info } = trajectory;
  const isUnnamed = given.id === otelTaskId(given.goal);
  const task = {
    ...given,
    ...(given.env === "otel" ? { env: "chat" } : {}),
    ...(isUnnamed ? { id: chatTaskId(steps[0]?.messages ?? closing?.messages ?? []) } : {}),
  };
  const known = info?.["recorder"];
  return {
    ...trajectory,
    task,
    // An agent whose calls never came did not end as it should: some instrumentations end no span of a stream that is left.
    ...(steps.length === 0 && trajectory.ending === "terminated" ? { ending: "truncated" as const } : {}),
    group: trajectory.group === given.id ? task.id : trajectory.group,
    reward: open(trajectory.reward),
    steps: steps.map((step) => ({ ...step, reward: open(step.reward) })),
    ...usageOf(steps),
    info: {
      ...info,
      recorder: { provider: "opentelemetry", calls: steps.length, ...(isObject(known) ? known : {}) },
    },
  };
}
