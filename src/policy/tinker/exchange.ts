/**
 * One request and its whole answer over kept connections. `fetch` takes four times the processor's time for the same, which
 * counts where an update asks some thousand times (docs/gpu.md).
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Answers that are longer are refused. */
  readonly mostBytes: number;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where it is too long; the rest was not read. */
  readonly bytes: Buffer | undefined;
}

export type Exchanger = (url: URL, sent: SentRequest) => Promise<WholeAnswer>;

/** A connection that nobody used for longer is closed here, before the server closes it under a request. */
const KEPT = { keepAlive: true, timeout: 30_000 };

export function createExchanger(): Exchanger {
  const plain = new HttpAgent(KEPT);
  const secure = new HttpsAgent(KEPT);
  return (url, sent) =>
    new Promise((resolve, reject) => {
      const { method, headers, body, signal, timeoutMs, mostBytes } = sent;
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const options = { method, headers: { ...headers, ...length } };
      const outgoing =
        url.protocol === "https:"
          ? httpsRequest(url, { ...options, agent: secure })
          : httpRequest(url, { ...options, agent: plain });
      const stop = (): void => void outgoing.destroy(new Error("cancelled"));
      const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      const settled = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
      };
      const fail = (error: Error): void => {
        settled();
        reject(error);
      };
      signal?.addEventListener("abort", stop, { once: true });
      outgoing.on("error", fail);
      outgoing.on("response", (incoming) => {
        readWhole(
          incoming,
          mostBytes,
          (bytes) => {
            settled();
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes });
          },
          fail,
        );
      });
      outgoing.end(body);
    });
}

function readWhole(
  incoming: IncomingMessage,
  most: number,
  done: (bytes: Buffer | undefined) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= most) {
      chunks.push(chunk);
      return;
    }
    incoming.removeAllListeners("data");
    done(undefined);
    incoming.destroy();
  });
  incoming.on("end", () => done(Buffer.concat(chunks)));
  incoming.on("error", (error) => fail(new Error(`the answer broke off: ${error.message}`)));
}
