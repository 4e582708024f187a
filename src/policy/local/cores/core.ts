/** One thread of a policy, seen from the policy: it is asked and answers. */
import { once } from "node:events";
import { EngineError } from "../../../base/index.ts";
import { startThread } from "../../../base/thread.ts";
import type { Decoded } from "../sampler-options.ts";
import type { CoreSetup, FromCore, ToCore } from "./messages.ts";

export interface Core {
  /** Micro-batches that it has not given back. */
  readonly runs: number;
  /** Conversations that it holds. */
  talks: number;
  /** What its sampling has cost so far. */
  readonly decoded: Decoded;
  tell(message: ToCore): void;
  ask(question: Question, moved?: readonly ArrayBufferLike[], signal?: AbortSignal): Promise<FromCore>;
  close(): Promise<void>;
}

/** Anything with an answer; the number is given here. */
type Question = Unnumbered<Extract<ToCore, { readonly kind: "weights" | "run" | "sample" }>>;
type Unnumbered<Message> = Message extends unknown ? Omit<Message, "id"> : never;

interface Waiting {
  readonly kind: Question["kind"];
  readonly resolve: (answer: FromCore) => void;
  readonly reject: (why: unknown) => void;
}

export function startCore(setup: CoreSetup): Core {
  const thread = startThread(import.meta.url, "worker", setup);
  const waiting = new Map<number, Waiting>();
  let [count, runs] = [0, 0];
  let decoded: Decoded = { passes: 0, rows: 0, tokens: 0 };
  let lost: EngineError | undefined;
  /** A close waits for the end, and keeps the process alive for it. */
  let closing = false;
  // A policy that is not closed must not keep the process alive.
  thread.unref();
  const settle = (id: number): Waiting | undefined => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (asked?.kind === "run") runs -= 1;
    if (waiting.size === 0 && !closing) thread.unref();
    return asked;
  };
  thread.on("message", (message: FromCore) => {
    const asked = settle(message.id);
    // Of a sample the conversation makes the error: it may have said something before.
    if (message.kind === "failed" && asked?.kind !== "sample") {
      return asked?.reject(EngineError.from({ details: {}, ...message.error }));
    }
    if (message.kind === "said") ({ decoded } = message);
    asked?.resolve(message);
  });
  const tell = (message: ToCore): void => thread.postMessage(message, []);
  const fail = (cause: unknown): void => {
    lost ??= new EngineError(
      "acting-lost",
      "A thread that computes for the policy has ended before its work was done. Fewer cores need less memory; without cores there is no thread.",
      { cause },
    );
    for (const id of waiting.keys()) settle(id)?.reject(lost);
  };
  thread.on("error", fail);
  thread.on("exit", () => fail(undefined));

  return {
    talks: 0,
    get runs() {
      return runs;
    },
    get decoded() {
      return decoded;
    },
    tell,
    ask: (question, moved = [], signal) => {
      if (lost !== undefined) return Promise.reject(lost);
      const id = (count += 1);
      const stop = (): void => tell({ kind: "stop", id });
      const answer = new Promise<FromCore>((resolve, reject) => {
        waiting.set(id, { kind: question.kind, resolve, reject });
      });
      if (question.kind === "run") runs += 1;
      thread.ref();
      thread.postMessage({ ...question, id }, moved as ArrayBuffer[]);
      if (signal === undefined) return answer;
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      return answer.finally(() => signal.removeEventListener("abort", stop));
    },
    close: async () => {
      if (lost !== undefined) return;
      closing = true;
      thread.ref();
      tell({ kind: "end" });
      await once(thread, "exit");
    },
  };
}
