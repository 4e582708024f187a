/** Calls of models while they are recorded: a middleware for the AI SDK, a wrapper for any of its models, and a `fetch`. */
import { createPartReader, readCallOptions, readResult } from "./wire/ai-sdk.ts";
import type { CallBook, CallScope, OpenCall } from "./call-book.ts";
import { cutShort, readFault } from "./faults.ts";
import type { Safely } from "./safely.ts";
import { createAnswerReader } from "./wire/answer-reader.ts";
import type { ReadAnswer } from "./wire/shape.ts";
import { parseObject } from "./lines.ts";
import { shapeOf } from "./wire/shapes.ts";

/** A middleware for `wrapLanguageModel`, of any version: it has no opinion about what passes through. */
export interface RecordMiddleware {
  readonly specificationVersion: never;
  wrapGenerate<Result>(call: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: unknown;
    readonly model: unknown;
  }): Promise<Result>;
  wrapStream<Result>(call: {
    readonly doStream: () => PromiseLike<Result>;
    readonly params: unknown;
    readonly model: unknown;
  }): Promise<Result>;
}

export function createMiddleware(book: CallBook, scope: () => CallScope, safely: Safely): RecordMiddleware {
  const begin = (params: unknown, model: unknown): OpenCall | undefined =>
    safely(() => {
      const { modelId, provider } = isFields(model) ? model : {};
      const asked = readCallOptions(params, typeof modelId === "string" ? modelId : undefined);
      return book.begin(asked, scope(), typeof provider === "string" ? provider : "ai-sdk");
    });
  return {
    specificationVersion: "v3" as never,
    wrapGenerate: async ({ doGenerate, params, model }) => {
      const call = begin(params, model);
      const result = await unlessItFails(call, safely, doGenerate);
      safely(() => call?.finish(readResult(result)));
      return result;
    },
    wrapStream: async ({ doStream, params, model }) => {
      const call = begin(params, model);
      const result = await unlessItFails(call, safely, doStream);
      return safely(() => watchResult(result, call, safely)) ?? result;
    },
  };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

async function unlessItFails<Result>(
  call: OpenCall | undefined,
  safely: Safely,
  work: () => PromiseLike<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    safely(() => call?.finish({ error: readFault(error), complete: false }));
    throw error;
  }
}

function watchResult<Result>(result: Result, call: OpenCall | undefined, safely: Safely): Result {
  const { stream } = result as { readonly stream?: unknown };
  if (call === undefined || !(stream instanceof ReadableStream)) return result;
  const reader = createPartReader();
  return { ...result, stream: recordedStream(stream, call, safely, { ...reader, each: (part) => reader.part(part) }) };
}

/** The same stream, entered into the book while it passes. */
function recordedStream<T>(
  stream: ReadableStream<T>,
  call: OpenCall,
  safely: Safely,
  reader: { each(item: T): void; end(whole: boolean): ReadAnswer },
): ReadableStream<T> {
  return watchStream(stream, {
    each: (item) =>
      safely(() => {
        call.arrived();
        reader.each(item);
      }),
    end: (whole, error) => safely(() => call.finish(cutShort(reader.end(whole), whole, error))),
  });
}

type Generation = "doGenerate" | "doStream";

/** The same model, whose calls `around` makes. */
export function wrapModel<Model extends object>(
  model: Model,
  around: (name: Generation, call: () => PromiseLike<unknown>, given: unknown[]) => PromiseLike<unknown>,
): Model {
  return new Proxy(model, {
    get: (target, name) => {
      // The model is the receiver: a class with private fields refuses any other.
      const value: unknown = Reflect.get(target, name, target);
      if ((name !== "doGenerate" && name !== "doStream") || typeof value !== "function") return value;
      const own = value as (...given: unknown[]) => PromiseLike<unknown>;
      return (...given: unknown[]) => around(name, () => own.apply(target, given), given);
    },
  });
}

/** A `fetch` for bare clients: calls of chat models are recorded while they pass. */
export function createFetch(book: CallBook, scope: () => CallScope, safely: Safely): typeof globalThis.fetch {
  return async (input, init) => {
    const shape = shapeOf(addressOf(input));
    const body = typeof init?.body === "string" ? init.body : undefined;
    if (shape === undefined || body === undefined) return await globalThis.fetch(input, init);
    const call = safely(() => book.begin(shape.asked(parseObject(body) ?? {}), scope(), shape.provider));
    return await unlessItFails(call, safely, async () => {
      const response = await globalThis.fetch(input, init);
      const { body: answer, status, statusText, headers } = response;
      if (call === undefined || answer === null) return response;
      const reader = createAnswerReader(shape, status, headers.get("content-type") ?? "");
      const decoder = new TextDecoder();
      const each = (bytes: Uint8Array): void => reader.push(decoder.decode(bytes, { stream: true }));
      const watched = recordedStream(answer, call, safely, { ...reader, each });
      return new Response(watched, { status, statusText, headers });
    });
  };
}

/** The first argument of `fetch` as a text. */
export function addressOf(input: Parameters<typeof globalThis.fetch>[0]): string {
  return typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
}

interface Watcher<T> {
  readonly each: (item: T) => void;
  /** Once: `whole` when the source came to its end, with its error when it broke, neither when the reader left. */
  readonly end: (whole: boolean, error?: unknown) => void;
}

/** Pulls only when it is pulled, so that nothing is buffered and the reader's pace is kept. */
function watchStream<T>(source: ReadableStream<T>, watcher: Watcher<T>): ReadableStream<T> {
  const reader = source.getReader();
  return new ReadableStream<T>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            watcher.end(true);
            controller.close();
            return;
          }
          watcher.each(value);
          controller.enqueue(value);
        } catch (error) {
          watcher.end(false, error);
          controller.error(error);
        }
      },
      cancel: async (reason) => {
        watcher.end(false);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
