/** A model behind an OpenAI-compatible server (OpenAI, vLLM, llama.cpp, Ollama and many more). */
import { EngineError, throwIfAborted } from "../../base/index.ts";
import { fetchFault, readBytes } from "../../base/http.ts";
import type { Message } from "../../trajectory/index.ts";
import type { ChatClock } from "./chat-clock.ts";
import { attemptFailed, badResponse, type ChatEndpoint } from "./endpoint.ts";
import { readStream } from "./event-stream.ts";
import { publicAddress, redact } from "./redact.ts";
import { retryAfterMs } from "./retry.ts";
import { scoreByEcho, scoreByPrompt, type Post } from "./score-reply.ts";
import { readAnswer, requestBody } from "./server-body.ts";

export interface ChatServer {
  /** Up to and without `/chat/completions`, `http://127.0.0.1:8000/v1` for example. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as a bearer token; never part of an error. */
  readonly apiKey?: string;
  /** Receives replies as a stream: some proxies drop a connection on which nothing moves for a while. Default: no. */
  readonly stream?: boolean;
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /**
   * Writes messages as the text the model reads, up to its answer. Given, replies are scored by the `echo` of
   * `/completions`; else by vLLM's `prompt_logprobs`.
   */
  readonly render?: (messages: readonly Message[]) => string;
}

/** Larger answers are refused: nothing a model says is that long. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Answers after which the same request may succeed. */
const RETRYABLE = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

export function createServerEndpoint(server: ChatServer, clock: ChatClock): ChatEndpoint {
  const base = checkAddress(server);
  const id = redact(`${publicAddress(base)} (${server.model})`, [server.apiKey]);
  const post: Post = async (path, body, signal) => {
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/+$/, "")}${path}`;
    return await exchange({ server, id, url, clock }, JSON.stringify(body), signal);
  };
  const json = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      throw badResponse(id, `it is not JSON but ${JSON.stringify(redact(text, [server.apiKey]).slice(0, 80))}`);
    }
  };
  const { stream = false, maxTokensField = "max_tokens", model, render } = server;
  return {
    id,
    model,
    send: async (request, signal) => {
      const { text, type } = await post(
        "/chat/completions",
        requestBody(request, { model, maxTokensField, stream }),
        signal,
      );
      // Some servers ignore the wish for a stream; the type of the answer says what came.
      return type.includes("text/event-stream") ? readStream(id, text) : readAnswer(id, json(text));
    },
    score: async (row, signal) => {
      const ask = async (path: string, body: Parameters<Post>[1]): Promise<unknown> =>
        json((await post(path, { model, ...body }, signal)).text);
      return render === undefined
        ? await scoreByPrompt(id, ask, row)
        : await scoreByEcho(id, ask, row, render(row.messages));
    },
  };
}

interface Exchange {
  readonly server: ChatServer;
  readonly id: string;
  readonly url: URL;
  readonly clock: ChatClock;
}

async function exchange(
  { server, id, url, clock }: Exchange,
  body: string,
  signal: AbortSignal,
): Promise<{ text: string; type: string }> {
  const { apiKey } = server;
  const headers = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
    text = await readText(response);
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof EngineError) throw error;
    // The cause is not attached: a key with a character that no header may hold is quoted in it.
    throw attemptFailed(`${id} could not be reached: ${redact(fetchFault(error), [apiKey])}.`, {
      code: "chat-failed",
      retryable: true,
    });
  }
  if (response.ok) return { text, type: response.headers.get("content-type") ?? "" };
  const asked = retryAfterMs(response.headers.get("retry-after"), clock.now());
  const retryable = RETRYABLE.has(response.status);
  throw attemptFailed(
    `${id} answered ${response.status}: ${redact(text, [apiKey]) || "no reason given"}.${cure(response.status)}`,
    {
      code: retryable ? "chat-failed" : "chat-refused",
      status: response.status,
      retryable,
      ...(asked === undefined ? {} : { retryAfterMs: asked }),
    },
  );
}

async function readText(response: Response): Promise<string> {
  const bytes = await readBytes(response.body, MAX_ANSWER_BYTES);
  if (bytes !== undefined) return bytes.toString();
  throw attemptFailed(`The server's answer is longer than ${MAX_ANSWER_BYTES} bytes.`, {
    code: "chat-bad-response",
    retryable: false,
  });
}

function cure(status: number): string {
  if (status === 401 || status === 403) return " Check the key (LIMBECK_CHAT_API_KEY).";
  return status === 404 ? " Check the address and the name of the model." : "";
}

function checkAddress({ baseUrl, model }: ChatServer): URL {
  if (model === "") throw new EngineError("bad-option", "The chat model has no name; give `model`.");
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") {
    if (url.username === "" && url.password === "") return url;
    throw new EngineError(
      "bad-option",
      `The address ${publicAddress(url)} holds a user name or password; give a key as \`apiKey\`.`,
    );
  }
  const shown = redact(baseUrl.slice(0, 80), []);
  throw new EngineError(
    "bad-option",
    `"${shown}" is not an address of a chat server; it must begin with http:// or https://.`,
  );
}
