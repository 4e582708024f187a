/** Language models of the AI SDK, recorded: as a middleware, or wrapped. */
import { createPartReader, readCallOptions, readResult } from "./ai-sdk.ts";
import type { CallBook, CallScope, OpenCall } from "./call-book.ts";
import { cutShort, readFault } from "./faults.ts";
import type { Safely } from "./safely.ts";
import { watchStream } from "./streams.ts";

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

interface Language {
  readonly modelId?: unknown;
  readonly provider?: unknown;
  readonly doGenerate?: (...parameters: unknown[]) => PromiseLike<unknown>;
  readonly doStream?: (...parameters: unknown[]) => PromiseLike<unknown>;
}

export function createMiddleware(book: CallBook, scope: () => CallScope, safely: Safely): RecordMiddleware {
  const begin = (params: unknown, model: unknown): OpenCall | undefined =>
    safely(() => {
      const { modelId, provider } = (typeof model === "object" && model !== null ? model : {}) as Language;
      const asked = readCallOptions(params, typeof modelId === "string" ? modelId : undefined);
      return book.begin(asked, scope(), typeof provider === "string" ? provider : "ai-sdk");
    });
  return {
    specificationVersion: "v3" as never,
    wrapGenerate: async ({ doGenerate, params, model }) => {
      const call = begin(params, model);
      try {
        const result = await doGenerate();
        safely(() => call?.finish(readResult(result)));
        return result;
      } catch (error) {
        safely(() => call?.finish({ error: readFault(error), complete: false }));
        throw error;
      }
    },
    wrapStream: async ({ doStream, params, model }) => {
      const call = begin(params, model);
      try {
        const result = await doStream();
        return safely(() => watchResult(result, call, safely)) ?? result;
      } catch (error) {
        safely(() => call?.finish({ error: readFault(error), complete: false }));
        throw error;
      }
    },
  };
}

function watchResult<Result>(result: Result, call: OpenCall | undefined, safely: Safely): Result {
  const { stream } = result as { readonly stream?: unknown };
  if (call === undefined || !(stream instanceof ReadableStream)) return result;
  const reader = createPartReader();
  const watched = watchStream(stream, {
    each: (part) =>
      safely(() => {
        call.arrived();
        reader.part(part);
      }),
    end: (whole, error) =>
      safely(() => {
        const answer = reader.end(whole);
        call.finish(cutShort(answer, whole, error));
      }),
  });
  return { ...result, stream: watched };
}

export function wrapModel<Model extends object>(model: Model, middleware: RecordMiddleware): Model {
  const inner = model as Language;
  return new Proxy(model, {
    get: (target, name) => {
      const { doGenerate, doStream } = inner;
      if (name === "doGenerate" && doGenerate !== undefined) {
        return (...given: unknown[]) =>
          middleware.wrapGenerate({
            doGenerate: () => doGenerate.apply(target, given),
            params: given[0],
            model: target,
          });
      }
      if (name === "doStream" && doStream !== undefined) {
        return (...given: unknown[]) =>
          middleware.wrapStream({ doStream: () => doStream.apply(target, given), params: given[0], model: target });
      }
      // The model is the receiver: a class with private fields refuses any other.
      const value: unknown = Reflect.get(target, name, target);
      return value;
    },
  });
}
