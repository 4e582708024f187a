/** Replies that were written in pieces, as one message each, and several that stand in one message. */
import { isObject, type JsonObject } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";

/** `format`: the name under which pieces keep the other fields of their records. */
export function joinReplies(one: Message, other: Message, format: string): Message {
  const reasoning = [one.reasoning, other.reasoning].filter((text) => text !== undefined).join("\n");
  const toolCalls = [...(one.toolCalls ?? []), ...(other.toolCalls ?? [])];
  const { content: _content, reasoning: _reasoning, toolCalls: _calls, extra: _extra, ...rest } = one;
  const extra = joinExtras(one.extra, other.extra, format);
  return {
    ...rest,
    content: joinContent(one.content, other.content),
    ...(one.reasoning === undefined && other.reasoning === undefined ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/**
 * Parts that hold several replies, each with its own: one begins at a "step-start", and with words after a call, also where no
 * part says so. Calls that follow each other without either are one reply.
 */
export function cutReplies(
  parts: readonly JsonObject[],
  isWords: (part: JsonObject) => boolean,
  isCall: (part: JsonObject) => boolean,
): JsonObject[][] {
  const replies: JsonObject[][] = [[]];
  for (const part of parts) {
    const before = replies.at(-1) ?? [];
    const starts = part["type"] === "step-start";
    if (starts ? before.length > 0 : isWords(part) && before.some(isCall)) replies.push([]);
    if (!starts) replies.at(-1)?.push(part);
  }
  return replies;
}

function joinContent(one: Message["content"], other: Message["content"]): Message["content"] {
  if (one === "" || one.length === 0) return other;
  if (other === "" || other.length === 0) return one;
  const parts = (content: Message["content"]): readonly JsonObject[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  return [...parts(one), ...parts(other)];
}

/** The first piece's fields, and under "pieces" those of the others. */
function joinExtras(
  one: JsonObject | undefined,
  other: JsonObject | undefined,
  format: string,
): JsonObject | undefined {
  const [own, more] = [one?.[format], other?.[format]];
  if (!isObject(more)) return one === undefined && other === undefined ? undefined : { ...other, ...one };
  const base = isObject(own) ? own : {};
  const pieces = Array.isArray(base["pieces"]) ? base["pieces"] : [];
  return { ...other, ...one, [format]: { ...base, pieces: [...pieces, more] } };
}
