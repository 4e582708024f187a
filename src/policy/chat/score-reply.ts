/**
 * Log-probabilities of a reply that somebody else gave, from servers that score what they read.
 *
 * vLLM returns them for the prompt of a chat (`prompt_logprobs`). Where the reply begins is found by a second request
 * without it; both must agree on every token before. The `echo` of `/completions` needs the prompt as text.
 */
import { z } from "zod";
import { EngineError } from "../../base/index.ts";
import type { Json } from "../../trajectory/index.ts";
import type { TextScoreRow, TokenLogprob } from "../text-policy.ts";
import { badResponse, type ScoredReply, type TokenCounts } from "./endpoint.ts";
import { redact } from "./redact.ts";
import { countsOf, UsageSchema, wireMessage } from "./server-body.ts";

export type Post = (
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

export async function scoreByPrompt(id: string, ask: Ask, { messages, reply }: TextScoreRow): Promise<ScoredReply> {
  const read = async (turns: readonly Json[], ends: boolean): Promise<{ tokens: ReadToken[]; counts: TokenCounts }> => {
    const flags = { add_generation_prompt: !ends, continue_final_message: ends };
    const answer = await ask("/chat/completions", { messages: turns, max_tokens: 1, prompt_logprobs: 0, ...flags });
    const parsed = PromptSchema.safeParse(answer);
    if (!parsed.success) throw badResponse(id, z.prettifyError(parsed.error).replace(/\s+/g, " "));
    const { prompt_logprobs: places, usage } = parsed.data;
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

export async function scoreByEcho(id: string, ask: Ask, { reply }: TextScoreRow, prompt: string): Promise<ScoredReply> {
  const answer = await ask("/completions", {
    prompt: prompt + reply,
    echo: true,
    logprobs: 0,
    max_tokens: 0,
    temperature: 0,
  });
  const parsed = EchoSchema.safeParse(answer);
  if (!parsed.success) throw badResponse(id, z.prettifyError(parsed.error).replace(/\s+/g, " "));
  const echoed = parsed.data.choices[0]?.logprobs;
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
  return { tokens: scored, counts: countsOf(parsed.data.usage) };
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
