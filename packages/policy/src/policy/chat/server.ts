/** A model behind an OpenAI-compatible server (OpenAI, vLLM, llama.cpp, Ollama and many more). */
import { z } from "zod";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { fetchFault, readBytes } from "limbeck-base/base/http";
import type { Json } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import type { TextScoreRow, TokenLogprob } from "../text-policy.ts";
import { retryAfterMs, type ChatClock } from "./retry.ts";
import {
  attemptFailed,
  badResponse,
  publicAddress,
  redact,
  type ChatEndpoint,
  type ScoredReply,
  type TokenCounts,
} from "./endpoint.ts";
import { checkAnswer, countsOf, readAnswer, readStream, requestBody, UsageSchema, wireMessage } from "./server-body.ts";

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

type Post = (
  path: string,
  body: { readonly [key: string]: Json },
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly type: string }>;
type Ask = (path: string, body: { readonly [key: string]: Json }) => Promise<unknown>;

const PromptSchema = z.object({
  prompt_logprobs: z
    .array(z.record(z.string(), z.object({ logprob: z.number(), decoded_token: z.string().nullish() })).nullable())
    .nullish(),
  usage: UsageSchema.nullish(),
});

const EchoSchema = z.object({
  choices: z
    .array(
      z.object({
        logprobs: z
          .object({
            tokens: z.array(z.string()),
            token_logprobs: z.array(z.number().nullable()),
            text_offset: z.array(z.number().int()),
          })
          .nullish(),
      }),
    )
    .min(1),
  usage: UsageSchema.nullish(),
});

interface ReadToken extends TokenLogprob {
  readonly id: string;
}

/**
 * Log-probabilities of a given reply, from servers that score prompts. vLLM returns them for the prompt of a chat
 * (`prompt_logprobs`). Where the reply begins is found by a second request without it; both must agree on every token before.
 */
async function scoreByPrompt(id: string, ask: Ask, { messages, reply }: TextScoreRow): Promise<ScoredReply> {
  const read = async (turns: readonly Json[], ends: boolean): Promise<{ tokens: ReadToken[]; counts: TokenCounts }> => {
    const flags = { add_generation_prompt: !ends, continue_final_message: ends };
    const answer = await ask("/chat/completions", { messages: turns, max_tokens: 1, prompt_logprobs: 0, ...flags });
    const { prompt_logprobs: places, usage } = checkAnswer(id, PromptSchema, answer);
    if (!places) throw noLogprobs(id, "`prompt_logprobs`");
    return { tokens: places.map(readToken), counts: countsOf(usage) };
  };
  const opening = messages.map(wireMessage);
  const before = await read(opening, false);
  const whole = await read([...opening, { role: "assistant", content: reply }], true);
  const start = before.tokens.length;
  if (before.tokens.some((token, at) => token.id !== whole.tokens[at]?.id && at > 0)) {
    throw new EngineError(
      "score-mismatch",
      `${id} reads the messages differently when the reply follows them (its chat template rewrites earlier turns), so the reply's tokens cannot be told apart.`,
    );
  }
  const tokens = whole.tokens.slice(start).map(({ text, logprob }) => ({ text, logprob }));
  checkText(id, tokens, reply);
  return { tokens, counts: addCounts(before.counts, whole.counts) };
}

/** The same by the `echo` of `/completions`, which needs the prompt as text. */
async function scoreByEcho(id: string, ask: Ask, { reply }: TextScoreRow, prompt: string): Promise<ScoredReply> {
  const answer = await ask("/completions", {
    prompt: prompt + reply,
    echo: true,
    logprobs: 0,
    max_tokens: 0,
    temperature: 0,
  });
  const { choices, usage } = checkAnswer(id, EchoSchema, answer);
  const echoed = choices[0]?.logprobs;
  if (!echoed) throw noLogprobs(id, "`echo`");
  const { tokens, token_logprobs: values, text_offset: offsets } = echoed;
  const start = offsets.indexOf(prompt.length);
  if (start < 0) {
    throw new EngineError(
      "score-mismatch",
      `${id}: no token begins where the reply does (character ${prompt.length}), so its tokens cannot be told apart from the prompt's.`,
    );
  }
  const scored = tokens.slice(start).map((text, at) => ({ text, logprob: values[start + at] ?? 0 }));
  checkText(id, scored, reply);
  return { tokens: scored, counts: countsOf(usage) };
}

/** The first token has no prediction. With `prompt_logprobs: 0` every other place holds the token that stands there. */
function readToken(
  place: Readonly<Record<string, { logprob: number; decoded_token?: string | null | undefined }>> | null,
): ReadToken {
  const [[id, entry] = ["", { logprob: 0, decoded_token: "" }]] = Object.entries(place ?? {});
  return { id, text: entry.decoded_token ?? "", logprob: entry.logprob };
}

/** A letter cut in two by the tokenizer is shown as a replacement mark, and the texts cannot be compared then. */
function checkText(id: string, tokens: readonly TokenLogprob[], reply: string): void {
  const text = tokens.map((token) => token.text).join("");
  if (text === reply || text.includes("\uFFFD")) return;
  throw new EngineError(
    "score-mismatch",
    `${id} scored ${JSON.stringify(redact(text, []).slice(0, 80))} where the reply is ${JSON.stringify(reply.slice(0, 80))}; its chat template changes replies.`,
  );
}

function noLogprobs(id: string, how: string): EngineError {
  return new EngineError(
    "no-logprobs",
    `${id} does not return log-probabilities of given text (asked by ${how}). Use a server that does, vLLM for example, or a local model.`,
  );
}

function addCounts(left: TokenCounts, right: TokenCounts): TokenCounts {
  const names = ["promptTokens", "completionTokens", "cachedTokens"] as const;
  const known = names.filter((name) => left[name] !== undefined && right[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, (left[name] as number) + (right[name] as number)]));
}

// The chat server that environment variables name.

const NAMES = {
  baseUrl: "LIMBECK_CHAT_BASE_URL",
  apiKey: "LIMBECK_CHAT_API_KEY",
  model: "LIMBECK_CHAT_MODEL",
} as const;

/**
 * The key may be missing: a server on this machine seldom wants one.
 *
 * @example
 * const server = chatServerFrom({ LIMBECK_CHAT_BASE_URL: "http://127.0.0.1:8000/v1", LIMBECK_CHAT_MODEL: "my-model" });
 * console.log(server.model); // my-model
 */
export function chatServerFrom(environment: Readonly<Record<string, string | undefined>>): ChatServer {
  const read = (name: string): string => {
    const value = environment[name]?.trim() ?? "";
    if (value !== "") return value;
    throw new EngineError(
      "bad-option",
      `No chat model is set: ${name} is missing. Set ${NAMES.baseUrl} and ${NAMES.model}, and ${NAMES.apiKey} where the server wants a key.`,
    );
  };
  const apiKey = environment[NAMES.apiKey]?.trim() ?? "";
  return { baseUrl: read(NAMES.baseUrl), model: read(NAMES.model), ...(apiKey === "" ? {} : { apiKey }) };
}
