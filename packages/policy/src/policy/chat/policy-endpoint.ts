/**
 * A token policy as a chat model: a local one, one on a trainer, or the very policy that is being trained. Each question is a
 * conversation of its own, in the policy's own dialect.
 */
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { concat } from "limbeck-base/base/concat";
import type { Message } from "limbeck-base/trajectory/trajectory";
import type { Dialect } from "../dialect.ts";
import type { Policy } from "../policy.ts";
import { attemptFailed, type ChatEndpoint } from "./endpoint.ts";

export interface SpeakingPolicy {
  /** Asked anew for every question: a training wraps its policy in every update. */
  readonly policy: () => Policy;
  readonly dialect: Dialect;
  /** Longest answer, whatever is asked for: a small model that does not find the end goes on for ever. Default: 512. */
  readonly longestAnswer?: number;
}

const LONGEST_ANSWER = 512;

export function createPolicyEndpoint({
  policy,
  dialect,
  longestAnswer = LONGEST_ANSWER,
}: SpeakingPolicy): ChatEndpoint {
  // What it remembers of answers must not outlive its weights.
  const idOf = (): string => {
    const { name, version = 0 } = policy().ref;
    return `the policy ${name}, version ${version}`;
  };
  return {
    get id() {
      return idOf();
    },
    get model() {
      return policy().ref.name;
    },
    send: async ({ messages, maxTokens = longestAnswer, temperature = 0, seed = 0, ...rest }, signal) => {
      if ((rest.tools?.length ?? 0) > 0) {
        throw attemptFailed(`${idOf()} is asked by its tokens and calls no tools. Ask it without, or another model.`, {
          code: "chat-refused",
          retryable: false,
        });
      }
      const conversation = policy().open({ seed });
      try {
        const prompt = promptOf(messages, dialect);
        conversation.extend(prompt);
        const { topK, topP, minP } = rest;
        const sampled = await conversation.sample({
          maxTokens: Math.min(maxTokens, longestAnswer),
          temperature,
          ...withoutUndefined({ topK, topP, minP }),
          stop: dialect.stop,
          signal,
        });
        return {
          text: dialect.answer(sampled.ids),
          toolCalls: [],
          finishReason: sampled.ending === "stop" ? "stop" : "length",
          counts: { promptTokens: prompt.length, completionTokens: sampled.ids.length },
        };
      } finally {
        conversation.close();
      }
    },
    score: () =>
      Promise.reject(
        new EngineError(
          "no-logprobs",
          `${idOf()} scores tokens, not text. Use its scorer in the place of a chat model.`,
        ),
      ),
  };
}

/** System words first, then questions and answers in turn, as the policy would have met them. */
function promptOf(messages: readonly Message[], dialect: Dialect): Int32Array {
  const textOf = ({ content }: Message): string => (typeof content === "string" ? content : JSON.stringify(content));
  const system = messages.filter(({ role }) => role === "system").map(textOf);
  const talk = messages.filter(({ role }) => role !== "system");
  const parts = talk.map((message, at) => {
    if (message.role === "assistant") return dialect.reply(textOf(message));
    if (at > 0) return dialect.turn(textOf(message));
    return dialect.opening(textOf(message), system.length === 0 ? undefined : system.join("\n"));
  });
  return concat(Int32Array, parts);
}
