/** What agents send to the proxy itself: recorded lines, feedback, spans; and the question whether it is there. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { EngineError, errorCode, errorData } from "../base/index.ts";
import { readBytes } from "../base/http.ts";
import { parseJson } from "../store/formats/json-fault.ts";
import { readRecordedLine, type RecordedLine } from "../store/formats/recorded-lines.ts";
import { readFeedback } from "./feedback.ts";
import type { FeedbackLine, RecordLine } from "./recorder/lines.ts";
import { redacted } from "./recorder/queue.ts";
import type { Redactor } from "./recorder/redact.ts";
import type { RecordingsSink } from "./recordings-sink.ts";
import { createSpanInbox } from "./span-inbox.ts";

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
      for (const line of read) recordings.add(redacted(line as RecordLine, redactor) as RecordedLine);
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
      recordings.add(redacted(line, redactor));
      return json({ accepted: 1, trajectory });
    },
    "/limbeck/v1/end": (body) => {
      const line = readRecordedLine(
        { limbeck: "end", v: 1, ...(parseJson(body.toString("utf8"), { file: "request", line: 1 }) as object) },
        { file: "request", line: 1 },
      );
      recordings.add(redacted(line as RecordLine, redactor) as RecordedLine);
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
