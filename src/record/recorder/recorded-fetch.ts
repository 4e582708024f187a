/** A `fetch` for bare clients: calls of chat models are recorded while they pass. */
import { createAnswerReader } from "./answer-reader.ts";
import type { CallBook, CallScope } from "./call-book.ts";
import { cutShort, readFault } from "./faults.ts";
import { parseObject } from "./lines.ts";
import type { Safely } from "./safely.ts";
import { shapeOf } from "./shapes.ts";
import { watchStream } from "./streams.ts";

export function createFetch(book: CallBook, scope: () => CallScope, safely: Safely): typeof globalThis.fetch {
  return async (input, init) => {
    const url = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    const shape = shapeOf(url);
    const body = typeof init?.body === "string" ? init.body : undefined;
    if (shape === undefined || body === undefined) return await globalThis.fetch(input, init);
    const call = safely(() => book.begin(shape.asked(parseObject(body) ?? {}), scope(), shape.provider));
    try {
      const response = await globalThis.fetch(input, init);
      const { body: answer, status, headers } = response;
      if (call === undefined || answer === null) return response;
      const reader = createAnswerReader(shape, status, headers.get("content-type") ?? "");
      const decoder = new TextDecoder();
      const watched = watchStream(answer, {
        each: (bytes) =>
          safely(() => {
            call.arrived();
            reader.push(decoder.decode(bytes, { stream: true }));
          }),
        end: (whole, error) =>
          safely(() => {
            const read = reader.end(whole);
            call.finish(cutShort(read, whole, error));
          }),
      });
      return new Response(watched, { status, statusText: response.statusText, headers });
    } catch (error) {
      safely(() => call?.finish({ error: readFault(error), complete: false }));
      throw error;
    }
  };
}
