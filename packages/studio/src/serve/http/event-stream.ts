/** Server-sent events as a response. */
import { errorData } from "limbeck-base/base/errors";
import { SECURITY_HEADERS } from "./headers.ts";

export interface SentEvent {
  readonly event: string;
  readonly data: unknown;
  /** What a client that comes back names as the last it has seen. */
  readonly id?: string;
}

/** Yields until the signal fires; undefined keeps proxies open and finds closed connections. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<SentEvent | undefined>;

/** How long a client waits before it comes back. */
const RETRY_MS = 1_500;

export function eventStream(source: EventSource, signal: AbortSignal): Response {
  const encoder = new TextEncoder();
  const ending = new AbortController();
  const whole = AbortSignal.any([signal, ending.signal]);
  const events = source(whole)[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`)),
    pull: async (controller) => {
      try {
        const next = await events.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(framed(next.value)));
      } catch (error) {
        if (!whole.aborted) {
          const { code, message } = errorData(error);
          controller.enqueue(encoder.encode(framed({ event: "gone", data: { code, message } })));
        }
        controller.close();
      }
    },
    cancel: () => ending.abort(),
  });
  return new Response(body, {
    headers: {
      ...SECURITY_HEADERS,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}

/** JSON has no line ends of its own, so data is always one line. */
function framed(sent: SentEvent | undefined): string {
  if (sent === undefined) return ": alive\n\n";
  const id = sent.id === undefined ? "" : `id: ${sent.id}\n`;
  return `event: ${sent.event}\n${id}data: ${JSON.stringify(sent.data)}\n\n`;
}
