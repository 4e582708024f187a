/**
 * Getting to the first observation of an episode. Until it has come nothing can be lost, so a refused connection, a full
 * server and a cut are tried again with growing pauses. After it, a cut is the end of the episode. A server that is full of
 * this client's own episodes is waited for until one of them ends.
 */
import { EngineError, errorCode, throwIfAborted, errorData } from "../../base/index.ts";
import type { ServerAddress } from "./address.ts";
import type { Limits } from "./discover.ts";
import type { Places } from "./places.ts";
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

export interface Begun {
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
