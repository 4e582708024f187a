/** What agents send to the proxy itself: recorded lines, feedback, spans; and the question whether it is there. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { EngineError, errorCode, errorData } from "limbeck-base/base/errors";
import { isObject, type JsonObject, type Json } from "limbeck-base/base/json";
import { readBytes } from "limbeck-base/base/http";
import { parseJson } from "../store/formats/json-fault.ts";
import { readRecordedLine, type RecordedLine } from "../store/formats/recorded-lines.ts";
import { readFeedback } from "./feedback.ts";
import type { FeedbackLine, RecordLine } from "limbeck-recorder/lines";
import { redactLine } from "limbeck-recorder/queue";
import type { Redactor } from "limbeck-recorder/redact";
import type { RecordingsSink } from "./recordings-sink.ts";
import { otelTaskId } from "../store/formats/otel-facts.ts";
import { readTrace } from "../store/formats/otel-read.ts";
import { readSpan, spansOf, decode, textAttribute, type Attributes, type Span } from "../store/formats/otlp.ts";
import { chatTaskId, NO_OUTCOME, usageOf } from "../store/formats/recorded-trajectory.ts";
import { unscored } from "limbeck-base/trajectory/score";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import { bytesOf, doubleOf, numberOf, readMessage, textOf, wholeOf, type Fields } from "limbeck-base/base/protobuf";
import { writeOtelMessage, writeOtelReply } from "../store/formats/otel-messages.ts";
import { readCallOptions, readResult } from "limbeck-recorder/wire/ai-sdk";

export interface Inbox {
  takes(path: string): boolean;
  handle(path: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Stores traces that are complete. */
  tick(): Promise<void>;
  close(): Promise<void>;
}

export interface InboxOptions {
  readonly recordings: RecordingsSink;
  readonly redactor: Redactor;
}

const LONGEST_BODY = 64 * 1024 * 1024;

interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Uint8Array;
}

export function createInbox({ recordings, redactor }: InboxOptions): Inbox {
  const spans = createSpanInbox({ recordings, redactor });
  const endpoints: Readonly<Record<string, (body: Buffer, type: string) => Reply>> = {
    "/limbeck/v1/records": (body) => {
      const lines = body
        .toString("utf8")
        .split("\n")
        .filter((line) => line.trim() !== "");
      const place = (index: number): { file: string; line: number } => ({ file: "request", line: index + 1 });
      const read = lines.map((line, index) => readRecordedLine(parseJson(line, place(index)), place(index)));
      // The recorder has redacted them already; the proxy's own patterns come on top.
      for (const line of read) recordings.add(redactLine(line as RecordLine, redactor) as RecordedLine);
      return json({ accepted: read.length });
    },
    "/limbeck/v1/feedback": (body) => {
      const { trajectory, ...feedback } = parseJson(body.toString("utf8"), { file: "request", line: 1 }) as {
        readonly trajectory?: unknown;
      };
      if (typeof trajectory !== "string" || trajectory === "") {
        throw new EngineError("bad-feedback", 'Feedback needs the id of a trajectory under "trajectory".');
      }
      const line: FeedbackLine = { limbeck: "feedback", v: 1, trajectory, ...readFeedback(feedback) };
      recordings.add(redactLine(line, redactor));
      return json({ accepted: 1, trajectory });
    },
    "/limbeck/v1/end": (body) => {
      const line = readRecordedLine(
        { limbeck: "end", v: 1, ...(parseJson(body.toString("utf8"), { file: "request", line: 1 }) as object) },
        { file: "request", line: 1 },
      );
      recordings.add(redactLine(line as RecordLine, redactor) as RecordedLine);
      return json({ accepted: 1 });
    },
    "/v1/traces": (body, type) => spans.take(body, type),
  };
  return {
    takes: (path) => path.startsWith("/limbeck/") || plain(path) === "/v1/traces",
    handle: async (path, request, response) => {
      try {
        if (plain(path) === "/limbeck/health") return send(response, json({ ok: true, ...recordings.status() }));
        const endpoint = endpoints[plain(path)];
        if (endpoint === undefined || request.method !== "POST") {
          return send(response, { ...json({ error: `No ${request.method} ${plain(path)} here.` }), status: 404 });
        }
        // A type that a web page cannot send unasked.
        const type = request.headers["content-type"] ?? "";
        if (!/^application\/(json|x-ndjson|x-protobuf)\b/.test(type)) {
          return send(response, {
            ...json({ error: "Send application/json, application/x-ndjson or application/x-protobuf." }),
            status: 415,
          });
        }
        const body = await readBytes(request, LONGEST_BODY);
        if (body === undefined) throw tooLarge();
        send(response, endpoint(request.headers["content-encoding"] === "gzip" ? unzipped(body) : body, type));
      } catch (error) {
        const status = errorCode(error) === "body-too-large" ? 413 : 400;
        send(response, { ...json({ error: errorData(error).message, code: errorCode(error) ?? "error" }), status });
      }
    },
    tick: () => spans.tick(),
    close: () => spans.close(),
  };
}

function plain(path: string): string {
  return path.replace(/[?#].*$/s, "").replace(/\/$/, "");
}

function json(value: object): Reply {
  return { body: JSON.stringify(value) };
}

function send(response: ServerResponse, { status = 200, type = "application/json", body }: Reply): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.writeHead(status, { "content-type": type, "content-length": bytes.length });
  response.end(bytes);
}

/** A few bytes can unpack to gigabytes. */
function unzipped(body: Buffer): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: LONGEST_BODY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new EngineError("bad-request", "The body says it is gzip, and is not.", { cause: error });
  }
}

function tooLarge(): EngineError {
  return new EngineError(
    "body-too-large",
    `The body is longer than ${LONGEST_BODY} bytes. Send it in several requests.`,
  );
}

// Spans as they come over OTLP/HTTP, held until their trace is complete, then read by the same mapping as an import of the same
// spans from a file: the same ids, so nothing is counted twice. Spans of a trace that is not complete are in memory only.

interface SpanInbox {
  take(body: Buffer, type: string): { readonly type: string; readonly body: string | Uint8Array };
  tick(): Promise<void>;
  close(): Promise<void>;
}

interface SpanInboxOptions {
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

function createSpanInbox({ recordings, redactor, clock = () => performance.now() }: SpanInboxOptions): SpanInbox {
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
    STRUCTURED.includes(name) ? (decode(value) ?? value) : value,
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

// OTLP trace requests from their protocol-buffer form into the JSON form that the OpenTelemetry importer reads. Field numbers:
// opentelemetry-proto, trace/v1 and common/v1.

const DEEPEST = 64;

export function readTraceRequest(bytes: Uint8Array): JsonObject {
  const scopes = below(read(bytes), 1).map((resource) => below(resource, 2));
  return {
    resourceSpans: scopes.map((own) => ({
      scopeSpans: own.map((scope) => ({ spans: below(scope, 2).map(spanJson) })),
    })),
  };
}

function spanJson(fields: Fields): JsonObject {
  const status = below(fields, 15).at(-1);
  const parent = hexOf(fields, 4);
  return {
    traceId: hexOf(fields, 1),
    spanId: hexOf(fields, 2),
    ...(parent === "" ? {} : { parentSpanId: parent }),
    name: textOf(fields, 5),
    startTimeUnixNano: String(wholeOf(fields, 7)),
    endTimeUnixNano: String(wholeOf(fields, 8)),
    attributes: below(fields, 9).map((pair) => readPair(pair, 0)),
    events: below(fields, 11).map((event) => ({
      name: textOf(event, 2),
      attributes: below(event, 3).map((pair) => readPair(pair, 0)),
    })),
    ...(status === undefined ? {} : { status: { message: textOf(status, 2), code: numberOf(status, 3) } }),
  };
}

function readPair(fields: Fields, depth: number): JsonObject {
  const value = below(fields, 2).at(-1) ?? read(undefined);
  return { key: textOf(fields, 1), value: readValue(value, depth + 1) };
}

function readValue(fields: Fields, depth: number): Json {
  if (depth > DEEPEST) throw malformed("a value is nested too deeply");
  const [field] = fields;
  if (field === undefined) return {};
  const [number, [value]] = field;
  if (typeof value === "bigint") {
    if (number === 2) return { boolValue: value !== 0n };
    if (number === 3) return { intValue: String(BigInt.asIntN(64, value)) };
    return number === 4 ? { doubleValue: finite(doubleOf(fields, 4)) } : {};
  }
  if (number === 1) return { stringValue: textOf(fields, 1) };
  if (number === 5) return { arrayValue: { values: below(read(value), 1).map((item) => readValue(item, depth + 1)) } };
  if (number === 6) return { kvlistValue: { values: below(read(value), 1).map((pair) => readPair(pair, depth + 1)) } };
  return number === 7 ? { bytesValue: Buffer.from(value ?? []).toString("base64") } : {};
}

function finite(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** The messages in a field. */
function below(fields: Fields, field: number): Fields[] {
  return bytesOf(fields, field).map(read);
}

function read(bytes: Uint8Array | undefined): Fields {
  return readMessage(bytes ?? new Uint8Array(), malformed);
}

function hexOf(fields: Fields, field: number): string {
  return Buffer.from(bytesOf(fields, field).at(-1) ?? []).toString("hex");
}

function malformed(why: string): EngineError {
  return new EngineError("bad-otlp", `The body is not an OTLP trace request in protocol-buffer form: ${why}.`);
}

// The spans of the AI SDK's own telemetry (its `ai.*` names, versions 4 to 6) under the names of the GenAI conventions, so that one
// reader serves both. Metadata named run, task, group, env and agent are the ids of a recording.

const METADATA: Readonly<Record<string, string>> = {
  run: "limbeck.trajectory.id",
  task: "limbeck.task.id",
  group: "limbeck.group",
  env: "limbeck.task.env",
  agent: "gen_ai.agent.name",
};

/** The span itself when it is not one of the AI SDK's. */
function fromAiSdk(span: Span): Span {
  const { attributes } = span;
  const operation = textAttribute(attributes, "ai.operationId");
  if (operation === undefined || attributes["gen_ai.operation.name"] !== undefined) return span;
  if (/^ai\.(generate|stream)(Text|Object)$/.test(operation)) return named(span, agentFields(attributes));
  if (/^ai\.(generate|stream)(Text|Object)\.do(Generate|Stream)$/.test(operation))
    return named(span, callFields(attributes));
  return operation === "ai.toolCall" ? named(span, toolFields(attributes)) : span;
}

function named(span: Span, fields: Readonly<Record<string, Json | undefined>>): Span {
  const known = Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  // An error inside a stream is no error of the span.
  const failed = span.error === undefined && span.attributes["ai.response.finishReason"] === "error";
  return {
    ...span,
    attributes: { ...span.attributes, ...Object.fromEntries(known) },
    ...(failed ? { error: "The provider reported an error in its answer." } : {}),
  };
}

function agentFields(attributes: Attributes): Record<string, Json | undefined> {
  const metadata = Object.entries(METADATA).map(([name, ours]): [string, Json | undefined] => [
    ours,
    attributes[`ai.telemetry.metadata.${name}`],
  ]);
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": textAttribute(attributes, "ai.telemetry.functionId"),
    "gen_ai.request.model": textAttribute(attributes, "ai.model.id"),
    ...Object.fromEntries(metadata.filter(([, value]) => value !== undefined)),
  };
}

function callFields(attributes: Attributes): Record<string, Json | undefined> {
  const tools = attributes["ai.prompt.tools"];
  const asked = readCallOptions(
    {
      prompt: decode(attributes["ai.prompt.messages"]) ?? [],
      tools: Array.isArray(tools) ? tools.map((tool: Json) => decode(tool) ?? null) : [],
    },
    undefined,
  );
  const calls = decode(attributes["ai.response.toolCalls"]);
  const { reply } = readResult({
    content: [
      { type: "reasoning", text: attributes["ai.response.reasoning"] ?? "" },
      { type: "text", text: attributes["ai.response.text"] ?? attributes["ai.response.object"] ?? "" },
      ...(Array.isArray(calls) ? calls.filter(isObject).map((call) => ({ ...call, type: "tool-call" })) : []),
    ],
  });
  // A call that failed has no reply at all, not an empty one.
  const isAnswered = Object.keys(attributes).some((name) => name.startsWith("ai.response."));
  const cached = attributes["ai.usage.cachedInputTokens"];
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": asked.messages.map(writeOtelMessage),
    "gen_ai.output.messages": reply === undefined || !isAnswered ? undefined : [writeOtelReply(reply)],
    "gen_ai.tool.definitions": asked.tools,
    "gen_ai.usage.cache_read.input_tokens": cached === 0 ? undefined : cached,
  };
}

function toolFields(attributes: Attributes): Record<string, Json | undefined> {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": attributes["ai.toolCall.name"],
    "gen_ai.tool.call.id": attributes["ai.toolCall.id"],
    "gen_ai.tool.call.arguments": attributes["ai.toolCall.args"],
    "gen_ai.tool.call.result": structuredText(attributes["ai.toolCall.result"]),
  };
}

/** The telemetry writes every result as JSON; a result that was a text is one again. */
function structuredText(value: Json | undefined): Json | undefined {
  const inner = decode(value);
  return typeof inner === "string" ? inner : value;
}
