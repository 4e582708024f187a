/**
 * A thread that plays while this one learns: the runtime's runs block the thread they are in, so that a second copy of
 * the weights in the same thread would save nothing. It gets the weights as one array and sends episodes back.
 */
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { EngineError, throwIfAborted, type PlainError } from "../base/index.ts";
import { loadedParts } from "../base/parts/part.ts";
import { startThread } from "../base/thread.ts";
import type { Draft } from "../policy/local/draft/kinds.ts";
import type { WorldOptions } from "../env/index.ts";
import type { Trajectory } from "../trajectory/index.ts";
import type { Away } from "./asynchronous.ts";
import type { Assignment } from "../update/collect.ts";
import type { Settings } from "../update/settings.ts";
import type { WeightsHere } from "./opened-model.ts";

/** What the thread finds: its setup, and the files that this one has loaded. */
export interface ActingData extends ActingSetup {
  readonly parts: ReturnType<typeof loadedParts>;
}

/** The start message of the thread; the model is opened as the training opens it. */
export interface ActingSetup {
  readonly model: string;
  readonly credit: string;
  readonly strategy: string;
  readonly settings: Settings;
  readonly world: { readonly id: string; readonly options: WorldOptions };
  readonly threads?: number;
  readonly draft?: Draft;
}

export type ToActing =
  | {
      readonly kind: "play";
      readonly id: number;
      readonly assignment: Assignment;
      readonly version: number;
      /** Missing where they are those of the play before. */
      readonly weights?: Float32Array;
    }
  | { readonly kind: "stop" | "close" };

export type FromActing =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly id?: number; readonly error: PlainError }
  | { readonly kind: "played"; readonly id: number; readonly trajectories: readonly Trajectory[] };

export async function openActingThread(setup: ActingSetup, { copy }: WeightsHere): Promise<Away> {
  const thread = startThread(import.meta.url, "acting-worker", { ...setup, parts: loadedParts() });
  const [first] = (await Promise.race([once(thread, "message"), died(thread)])) as [FromActing?];
  if (first?.kind === "failed") {
    await thread.terminate();
    throw asError(first.error);
  }
  const waiting = new Map<
    number,
    { resolve: (played: readonly Trajectory[]) => void; reject: (why: unknown) => void }
  >();
  const failAll = (why: unknown): void => {
    for (const { reject } of waiting.values()) reject(why);
    waiting.clear();
  };
  let broken: EngineError | undefined;
  thread.on("message", (message: FromActing) => {
    if (message.kind === "ready") return;
    if (message.kind === "failed" && message.id === undefined) {
      // A file broke out of its calls there: what was played with it is worth nothing.
      broken = asError(message.error);
      return failAll(broken);
    }
    const asked = waiting.get(message.id ?? -1);
    waiting.delete(message.id ?? -1);
    if (message.kind === "played") asked?.resolve(message.trajectories);
    else asked?.reject(asError(message.error));
  });
  thread.on("error", (cause) => failAll(lost(cause)));
  thread.on("exit", () => failAll(lost(undefined)));
  const tell = (message: ToActing, transfer: ArrayBuffer[] = []): void => thread.postMessage(message, transfer);
  let present = copy();
  let told: number | undefined;
  let count = 0;
  return {
    width: 1,
    renew: () => {
      present = copy();
      return Promise.resolve();
    },
    play: async (assignment, signal) => {
      throwIfAborted(signal);
      if (broken !== undefined) throw broken;
      const id = (count += 1);
      const { version, weights } = present;
      const played = new Promise<readonly Trajectory[]>((resolve, reject) => waiting.set(id, { resolve, reject }));
      const stop = (): void => tell({ kind: "stop" });
      signal.addEventListener("abort", stop, { once: true });
      tell({ kind: "play", id, assignment, version, ...(told === version ? {} : { weights }) });
      told = version;
      try {
        return await played;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    close: async () => {
      tell({ kind: "close" });
      // A thread that ends with an error has ended.
      await once(thread, "exit").catch(() => undefined);
    },
  };
}

async function died(thread: Worker): Promise<never> {
  const [cause] = (await once(thread, "exit")) as readonly unknown[];
  throw lost(cause);
}

function lost(cause: unknown): EngineError {
  return new EngineError(
    "acting-lost",
    "The thread that plays has ended before its work was done. Resume the run with --resume; without --lag it needs no thread.",
    { cause },
  );
}

function asError({ code, message, details }: PlainError): EngineError {
  return EngineError.from({ code, message, details: details ?? {} });
}
