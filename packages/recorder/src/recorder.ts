/**
 * The recorder: a middleware for the AI SDK, a wrapper for any of its models, and a `fetch` for bare clients. The agent
 * gets what it would get without it, at the same moment; whatever goes wrong in here goes to `onError` and no further.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { CallBook, type CallScope } from "./call-book.ts";
import { readFault } from "./faults.ts";
import type { EndLine, Feedback, Origin, TaskLine } from "./lines.ts";
import { LineQueue, type QueueStatus } from "./queue.ts";
import { createFetch, createMiddleware, wrapModel, type RecordMiddleware } from "./recorded-calls.ts";
import { createRedactor, type RedactOptions } from "./redact.ts";
import { createSafely, type Safely } from "./safely.ts";
import { fileSink, httpSink, type Sink } from "./sink.ts";

export interface RecorderOptions {
  /**
   * Where recordings go: a folder, the address of a `limbeck proxy`, a sink, or false for nowhere. Default: what the
   * environment variable LIMBECK_RECORD says (a folder, an address or "off"), else the folder "recordings".
   */
  readonly to?: string | Sink | false;
  readonly redact?: RedactOptions;
  /** Name of the agent. */
  readonly agent?: string;
  /** Hears what went wrong. Default: nothing. */
  readonly onError?: (error: unknown) => void;
  /** About as many bytes may wait for a sink that fails. Default: 32 MiB. */
  readonly maxWaitingBytes?: number;
}

export interface RunOptions extends Omit<Origin, "caller" | "task"> {
  /** Id of the trajectory. Default: made up. */
  readonly id?: string;
  /** The task, or only its id. */
  readonly task?: TaskLine | string;
}

export interface RecorderStatus extends QueueStatus {
  readonly on: boolean;
}

export interface Recorder {
  readonly middleware: RecordMiddleware;
  /** The same model, recorded. */
  model<Model extends object>(model: Model): Model;
  /** For clients that take a `fetch`: calls of chat models are recorded, everything else passes. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Everything inside belongs to one trajectory, which ends with the work. A run inside a run is a trajectory of its own
   * that names its caller. The work gets the id, for feedback.
   */
  run<T>(options: RunOptions, work: (id: string) => Promise<T>): Promise<T>;
  /** An outcome, now or later. */
  feedback(trajectory: string, feedback: Feedback): void;
  /** Writes what waits; for short-lived processes. Never throws. */
  flush(): Promise<void>;
  status(): RecorderStatus;
}

export function createRecorder(options: RecorderOptions = {}): Recorder {
  const { safely, report } = createSafely(options.onError);
  // A pattern that cannot be used switches recording off: better no record than one that was not redacted.
  const queue = safely(() => openQueue(options, report));
  return queue === undefined ? off : recording(queue, options.agent, safely);
}

/** Recording switched off: everything passes. */
const off: Recorder = {
  middleware: {
    specificationVersion: "v3" as never,
    wrapGenerate: async ({ doGenerate }) => await doGenerate(),
    wrapStream: async ({ doStream }) => await doStream(),
  },
  model: (model) => model,
  fetch: (input, init) => globalThis.fetch(input, init),
  run: (run, work) => work(run.id ?? globalThis.crypto.randomUUID()),
  feedback: () => undefined,
  flush: () => Promise.resolve(),
  status: () => ({ on: false, written: 0, waiting: 0, dropped: 0 }),
};

function recording(queue: LineQueue, agent: string | undefined, safely: Safely): Recorder {
  const scopes = new AsyncLocalStorage<CallScope>();
  const book = new CallBook({
    newId: () => globalThis.crypto.randomUUID(),
    now: () => Date.now(),
    clock: () => performance.now(),
    write: (line) => queue.add(line),
  });
  const scope = (): CallScope => ({ ...(agent === undefined ? {} : { agent }), ...scopes.getStore() });
  const middleware = createMiddleware(book, scope, safely);
  const end = (id: string, failure: Pick<EndLine, "ending" | "error">): void => {
    book.forget(id);
    queue.add({ limbeck: "end", v: 1, trajectory: id, ...failure });
  };
  return {
    middleware,
    model: (model) =>
      wrapModel(model, (name, call, [params]) =>
        name === "doGenerate"
          ? middleware.wrapGenerate({ doGenerate: call, params, model })
          : middleware.wrapStream({ doStream: call, params, model }),
      ),
    fetch: createFetch(book, scope, safely),
    run: async (run, work) => {
      const inner = innerScope(run, scopes.getStore()?.trajectory);
      try {
        const result = await scopes.run(inner, () => work(inner.trajectory));
        safely(() => end(inner.trajectory, {}));
        return result;
      } catch (error) {
        safely(() => end(inner.trajectory, { ending: "failed", error: readFault(error) }));
        throw error;
      }
    },
    feedback: (trajectory, feedback) => queue.add({ limbeck: "feedback", v: 1, trajectory, ...feedback }),
    flush: () => queue.flush(),
    status: () => ({ on: true, ...queue.status() }),
  };
}

function innerScope(run: RunOptions, caller: string | undefined): CallScope & { readonly trajectory: string } {
  const { id, task, ...rest } = run;
  return {
    ...rest,
    trajectory: id ?? globalThis.crypto.randomUUID(),
    ...(task === undefined ? {} : { task: typeof task === "string" ? { id: task } : task }),
    ...(caller === undefined ? {} : { caller }),
  };
}

function openQueue(options: RecorderOptions, onError: (error: unknown) => void): LineQueue | undefined {
  const { process: host } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  const to = options.to ?? host?.env?.["LIMBECK_RECORD"] ?? "recordings";
  if (to === false || to === "off" || to === "") return undefined;
  const sink = typeof to !== "string" ? to : /^https?:\/\//.test(to) ? httpSink(to) : fileSink(to);
  const { maxWaitingBytes } = options;
  return new LineQueue({
    sink,
    redactor: createRedactor(options.redact),
    onError,
    ...(maxWaitingBytes === undefined ? {} : { maxWaitingBytes }),
  });
}
