/**
 * Getting to the first observation of an episode. Until it has come nothing can be lost, so a refused connection, a full
 * server and a cut are tried again with growing pauses. After it, a cut is the end of the episode. A server that is full of
 * this client's own episodes is waited for until one of them ends.
 */
import { EngineError, errorCode, throwIfAborted, errorData } from "limbeck-base/base/errors";
import type { ServerAddress } from "./address.ts";
import type { Limits } from "./discover.ts";
import { openSocket, refusal, type Socket } from "./socket.ts";
import type { ClientMessage, ObservationData } from "./wire.ts";

export interface ConnectOptions {
  readonly address: ServerAddress;
  readonly limits: Limits;
  /** Connections in all, the first included. */
  readonly attempts: number;
  /** Pause after the first, doubled each time up to `MAX_DELAY_MS`. */
  readonly delayMs: number;
  /** Those that this client holds. */
  readonly places: Places;
}

interface Begun {
  readonly socket: Socket;
  readonly first: ObservationData;
}

/** What may be otherwise the next time. */
const PASSING: ReadonlySet<string> = new Set(["server-full", "server-unreachable", "server-lost"]);
const MAX_DELAY_MS = 5_000;

/**
 * A new connection, and the answer to the message that begins an episode on it. Who holds a place already, as a fork's
 * original does, says so: it will not be given back meanwhile.
 */
export async function begin(
  { address, limits, attempts, delayMs, places }: ConnectOptions,
  opening: ClientMessage,
  { signal, holds = 0 }: { readonly signal?: AbortSignal | undefined; readonly holds?: number } = {},
): Promise<Begun> {
  for (let attempt = 1; ; attempt += 1) {
    let socket: Socket | undefined;
    const ask = async (): Promise<Begun> => {
      socket = await openSocket(address, limits, signal);
      const first = await observed(socket, opening, address, signal);
      return { socket: places.hold(socket), first };
    };
    try {
      return await places.asking(ask);
    } catch (error) {
      await socket?.close();
      throwIfAborted(signal);
      const passing = PASSING.has(errorCode(error) ?? "");
      if (!passing) throw error;
      const isOurs = errorCode(error) === "server-full" && places.isBusy(holds);
      if (attempt >= attempts && !isOurs) throw givenUp(error, attempts);
    }
    await places.freed(Math.min(MAX_DELAY_MS, delayMs * 2 ** (attempt - 1)), signal);
    throwIfAborted(signal);
  }
}

async function observed(
  socket: Socket,
  message: ClientMessage,
  { shown }: ServerAddress,
  signal?: AbortSignal,
): Promise<ObservationData> {
  const answer = await socket.ask(message, signal);
  if (answer.type === "observation") return answer.data;
  if (answer.type !== "error") {
    throw new EngineError(
      "server-nonsense",
      `The OpenEnv server at ${shown} answered "${message.type}" with "${answer.type}".`,
    );
  }
  const passing = answer.data.code === "CAPACITY_REACHED";
  if (passing) throw refusal(answer, shown);
  // The same request would be refused again.
  throw new EngineError("reset-refused", refusal(answer, shown).message, { details: { wireCode: answer.data.code } });
}

function givenUp(error: unknown, attempts: number): EngineError {
  const { code, message } = errorData(error);
  return EngineError.from({ code, message: `${message} (tried ${attempts} times)` }, error);
}

/*
 * The places that one client holds on a server. A server that is full because of the client's own episodes has one again as
 * soon as one of them ends; who waits for that is not lost.
 */

interface Places {
  /** Asks for a place; until the answer comes this asker may have been given one. */
  asking<T>(ask: () => Promise<T>): Promise<T>;
  /** The same connection, whose answers are signs of life and whose end gives a place back. */
  hold(socket: Socket): Socket;
  /** Whether others of this client hold a place, or may have been given one, and one was alive not long ago. */
  isBusy(askerHolds: number): boolean;
  /** Resolves when a place is given back, to one waiter after the other; also after so long, or when the signal fires. */
  freed(longestMs: number, signal: AbortSignal | undefined): Promise<void>;
}

/** A model may think this long between two steps; episodes that hold places and wait for each other fail after it. */
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
