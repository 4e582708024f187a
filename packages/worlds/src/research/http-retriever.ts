/**
 * A client for the retriever that Search-R1 and OPID run as a server.
 *
 * Request: POST `{query, topk, return_scores}`. Reply: `{result: [[{document: {contents}}, …]]}`, one list per query.
 * A 5xx reply and a connection that cannot be made are tried again; silence, another status and a reply of another
 * shape are not, because asking again would not help. Everything that goes wrong is an EngineError.
 */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { boundedText } from "limbeck-base/base/http";
import type { Passage, Retriever } from "./retriever.ts";

export interface HttpRetrieverOptions {
  readonly url: string;
  /** Time for one request, from sending it to the last byte of the reply. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Requests in all, the first included. Default: 10. */
  readonly attempts?: number;
  /** Pause after the first failed request; the pause grows by this much each time. Default: 1,000. */
  readonly delayMs?: number;
  /** A longer reply is refused. Default: 16 MiB. */
  readonly maxReplyBytes?: number;
  /** How time passes; tests bring their own. */
  readonly clock?: RetrieverClock;
}

export interface RetrieverClock {
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** A signal that fires after this time. */
  deadline(timeoutMs: number): AbortSignal;
}

const REAL_CLOCK: RetrieverClock = {
  wait: (delayMs, signal) => sleep(delayMs, undefined, signal === undefined ? {} : { signal }),
  deadline: (timeoutMs) => AbortSignal.timeout(timeoutMs),
};

const ReplySchema = z.object({
  result: z
    .array(
      z.array(
        z.object({ document: z.object({ contents: z.string(), id: z.union([z.string(), z.number()]).optional() }) }),
      ),
    )
    .min(1),
});

/**
 * A retriever behind an address.
 *
 * @example
 * import { createServer } from "node:http";
 *
 * const document = { id: "7", contents: '"Oslo"\nOslo is the capital of Norway.' };
 * const server = createServer((_, response) => response.end(JSON.stringify({ result: [[{ document }]] })));
 * await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
 * const port = Object(server.address()).port as number;
 * const found = await httpRetriever({ url: `http://127.0.0.1:${port}/retrieve` }).retrieve("capital of Norway", 1);
 * console.log(found.map(({ id }) => id)); // [ "7" ]
 * server.closeAllConnections();
 * server.close();
 */
export function httpRetriever(options: HttpRetrieverOptions): Retriever {
  const url = checkUrl(options.url);
  const settings = {
    url: url.href,
    shown: `${url.origin}${url.pathname}`,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxReplyBytes: options.maxReplyBytes ?? 16 * 1024 * 1024,
    clock: options.clock ?? REAL_CLOCK,
  };
  const { attempts = 10, delayMs = 1_000 } = options;
  if (!(Number.isInteger(attempts) && attempts >= 1)) {
    throw new EngineError("bad-option", `${attempts} attempts is not a whole number of at least 1.`);
  }
  return {
    retrieve: async (query, topk, { signal } = {}) => {
      const body = JSON.stringify({ query, topk, return_scores: true });
      for (let attempt = 1; ; attempt += 1) {
        throwIfAborted(signal);
        const answer = await ask(settings, body, signal);
        if (answer.kind === "reply") return readPassages(settings.shown, answer.text).slice(0, topk);
        if (attempt >= attempts) {
          throw new EngineError(
            "retriever-unavailable",
            `The retriever at ${settings.shown} ${answer.what} in ${attempts} of ${attempts} requests. Check that it runs, or raise \`attempts\`.`,
            { details: { url: settings.shown, attempts }, cause: answer.cause },
          );
        }
        await settings.clock.wait(delayMs * attempt, signal);
      }
    },
  };
}

interface Settings {
  readonly url: string;
  /** The address as messages name it: without what may be secret in it. */
  readonly shown: string;
  readonly timeoutMs: number;
  readonly maxReplyBytes: number;
  readonly clock: RetrieverClock;
}

type Answer =
  | { readonly kind: "reply"; readonly text: string }
  | { readonly kind: "try-again"; readonly what: string; readonly cause?: unknown };

async function ask(settings: Settings, body: string, signal: AbortSignal | undefined): Promise<Answer> {
  const { shown, timeoutMs, clock } = settings;
  const deadline = clock.deadline(timeoutMs);
  try {
    const response = await fetch(settings.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body,
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    if (response.status >= 500) {
      await response.body?.cancel();
      return { kind: "try-again", what: `answered with status ${response.status}` };
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new EngineError("retriever-refused", `The retriever at ${shown} answered with status ${response.status}.`, {
        details: { url: shown, status: response.status },
      });
    }
    return { kind: "reply", text: await readText(settings, response) };
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof EngineError) throw error;
    if (deadline.aborted) {
      throw new EngineError(
        "retriever-timeout",
        `The retriever at ${shown} did not answer within ${timeoutMs} ms. Raise \`timeoutMs\`, or check that it runs.`,
        { details: { url: shown, timeoutMs }, cause: error },
      );
    }
    return { kind: "try-again", what: "could not be reached", cause: error };
  }
}

async function readText({ shown, maxReplyBytes }: Settings, response: Response): Promise<string> {
  const text = await boundedText(response, maxReplyBytes);
  if (text !== undefined) return text;
  throw badReply(shown, `is longer than ${maxReplyBytes} bytes (\`maxReplyBytes\`)`);
}

function readPassages(shown: string, text: string): Passage[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw badReply(shown, "is not JSON", cause);
  }
  const parsed = ReplySchema.safeParse(json);
  if (!parsed.success) throw badReply(shown, `has another shape: ${z.prettifyError(parsed.error)}`);
  return (parsed.data.result[0] ?? []).map(({ document: { id, contents } }) => ({
    id: String(id ?? createHash("sha256").update(contents).digest("hex").slice(0, 16)),
    contents,
  }));
}

function badReply(shown: string, what: string, cause?: unknown): EngineError {
  return new EngineError(
    "retriever-nonsense",
    `The reply of the retriever at ${shown} ${what}. Expected {"result": [[{"document": {"contents": "…"}}]]}.`,
    { details: { url: shown }, cause },
  );
}

function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new EngineError("bad-option", `Retriever address "${text}" is not an http or https URL.`);
}
