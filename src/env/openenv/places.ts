/**
 * The places that one client holds on a server. A server that is full because of the client's own episodes has one again as
 * soon as one of them ends; who waits for that is not lost.
 */
import type { Socket } from "./socket.ts";

export interface Places {
  /** Asks for a place; until the answer comes this asker may have been given one. */
  asking<T>(ask: () => Promise<T>): Promise<T>;
  /** The same connection, whose answers are signs of life and whose end gives a place back. */
  hold(socket: Socket): Socket;
  /** Whether others of this client hold a place, or may have been given one, and one was alive not long ago. */
  isBusy(askerHolds: number): boolean;
  /** Resolves when a place is given back, to one waiter after the other; also after so long, or when the signal fires. */
  freed(longestMs: number, signal: AbortSignal | undefined): Promise<void>;
}

/** A model may think this long between two steps; episodes that hold places and wait for each other are told after it. */
const PATIENCE_MS = 120_000;

export function createPlaces(now: () => number = () => performance.now()): Places {
  const waiting: (() => void)[] = [];
  let held = 0;
  let asked = 0;
  let alive = now();
  const note = (): void => {
    alive = now();
  };
  return {
    asking: async (ask) => {
      asked += 1;
      try {
        return await ask();
      } finally {
        asked -= 1;
      }
    },
    hold: (socket) => {
      held += 1;
      note();
      let isOpen = true;
      return {
        ask: async (message, signal) => {
          const answer = await socket.ask(message, signal);
          note();
          return answer;
        },
        get lost() {
          return socket.lost;
        },
        close: async () => {
          await socket.close();
          if (!isOpen) return;
          isOpen = false;
          held -= 1;
          note();
          waiting.shift()?.();
        },
      };
    },
    isBusy: (askerHolds) => held + asked > askerHolds && now() - alive < PATIENCE_MS,
    freed: (longestMs, signal) =>
      new Promise((resolve) => {
        const settle = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", settle);
          const at = waiting.indexOf(settle);
          if (at >= 0) waiting.splice(at, 1);
          resolve();
        };
        const timer = setTimeout(settle, longestMs);
        signal?.addEventListener("abort", settle, { once: true });
        waiting.push(settle);
      }),
  };
}
