/** A reply that arrives as server-sent events, put together again. */
import { z } from "zod";
import { badResponse, type ChatAnswer, type TokenCounts } from "./endpoint.ts";
import { answerOf, countsOf, EventSchema } from "./server-body.ts";

type Event = z.infer<typeof EventSchema>;
type Choice = NonNullable<Event["choices"]>[number];

/** The body of a stream. It must name the end of the reply: a connection that broke off is not a short reply. */
export function readStream(id: string, body: string): ChatAnswer {
  const reply = createPieces();
  for (const data of eventData(body)) {
    if (data === "[DONE]") break;
    const event = parseEvent(id, data);
    reply.counts = event.usage ? countsOf(event.usage) : reply.counts;
    for (const choice of event.choices?.slice(0, 1) ?? []) addChoice(reply, choice);
  }
  const { finish } = reply;
  if (finish === undefined) throw badResponse(id, "the stream ended before the reply did");
  return answerOf({ ...reply, finish, toolCalls: reply.toolCalls.filter((call) => call !== undefined) });
}

interface Pieces {
  text: string;
  reasoning: string;
  readonly toolCalls: { id: string; name: string; arguments: string }[];
  finish: string | undefined;
  logprobs: { token: string; logprob: number }[] | undefined;
  counts: TokenCounts;
}

function createPieces(): Pieces {
  return { text: "", reasoning: "", toolCalls: [], finish: undefined, logprobs: undefined, counts: {} };
}

function addChoice(reply: Pieces, { delta, finish_reason: finish, logprobs }: Choice): void {
  reply.text += delta?.content ?? "";
  reply.reasoning += delta?.reasoning_content ?? delta?.reasoning ?? "";
  reply.finish = finish ?? reply.finish;
  // One by one: a call takes only some hundred thousand arguments.
  for (const one of logprobs?.content ?? []) (reply.logprobs ??= []).push(one);
  for (const piece of delta?.tool_calls ?? []) {
    const call = (reply.toolCalls[piece.index ?? 0] ??= { id: "", name: "", arguments: "" });
    call.id += piece.id ?? "";
    call.name += piece.function?.name ?? "";
    call.arguments += piece.function?.arguments ?? "";
  }
}

/** Events are separated by empty lines; the data of one may stand on several lines. */
function* eventData(body: string): Generator<string> {
  for (const block of body.split(/\r?\n\r?\n/)) {
    const lines = block.split(/\r?\n/).filter((line) => line.startsWith("data:"));
    if (lines.length > 0) yield lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
  }
}

function parseEvent(id: string, data: string): Event {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw badResponse(id, "an event of the stream is not JSON");
  }
  const parsed = EventSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw badResponse(id, z.prettifyError(parsed.error).replace(/\s+/g, " "));
}
