/** A chat model in front of a prepared server, with a clock that never waits. */
import { expect } from "vitest";
import { EngineError, errorData } from "../../packages/base/src/base/errors.ts";
import {
  openChatModel,
  type ChatModel,
  type ChatModelOptions,
} from "../../packages/policy/src/policy/chat/chat-model.ts";
import type { ChatClock } from "../../packages/policy/src/policy/chat/retry.ts";
import type { ChatServer } from "../../packages/policy/src/policy/chat/server.ts";
import { startChatServer, type Answer, type ChatServerDouble } from "./chat-server.ts";

export const KEY = "limbeck-secret-0123456789";
const TIME_LIMIT = 120_000;

export interface TestClock {
  readonly clock: ChatClock;
  /** What was waited for between attempts. */
  readonly waits: number[];
  /** Ends the time of the newest attempt. */
  readonly fire: () => void;
}

/** Waits of retries pass at once and are noted; time limits never pass unless `fire` is called. */
export function testClock(now = 0): TestClock {
  const waits: number[] = [];
  const limits: (() => void)[] = [];
  const clock: ChatClock = {
    now: () => now,
    delay: (milliseconds, signal) => {
      if (milliseconds !== TIME_LIMIT) {
        waits.push(milliseconds);
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        limits.push(resolve);
        signal?.addEventListener("abort", () => reject(new Error("over")), { once: true });
      });
    },
  };
  return { clock, waits, fire: () => limits.at(-1)?.() };
}

export interface Started extends TestClock {
  readonly server: ChatServerDouble;
  readonly model: ChatModel;
}

/** Starts servers and closes all of them at the end of a test. */
export function chatServers() {
  const opened: ChatServerDouble[] = [];
  return {
    start: async (
      answers: readonly Answer[],
      options: ChatModelOptions = {},
      more: Partial<ChatServer> = {},
    ): Promise<Started> => {
      const server = await startChatServer(...answers);
      opened.push(server);
      const time = testClock();
      const source = { baseUrl: server.baseUrl, apiKey: KEY, model: "tiny", ...more };
      return { server, ...time, model: openChatModel(source, { clock: time.clock, ...options }) };
    },
    closeAll: async (): Promise<void> => {
      for (const server of opened.splice(0)) await server.close();
    },
  };
}

/** The error, after making sure that the key is nowhere in it. */
export async function failureOf(work: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EngineError)) throw new Error(`No engine error but ${String(error)}`);
  expect(JSON.stringify([errorData(error), error.stack, String(error.cause)])).not.toContain(KEY);
  return error;
}
