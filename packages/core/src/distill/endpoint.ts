/** A model behind an address: a trainer of the Tinker protocol, or a server whose completions echo log-probabilities. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { Scorer } from "limbeck-policy/policy/policy";
import { openChatModel } from "limbeck-policy/policy/chat/chat-model";
import type { ChatServer } from "limbeck-policy/policy/chat/server";
import { openTinkerScorer } from "limbeck-policy/policy/tinker/tinker-scorer";
import { alignedScorer, type AlignedOptions } from "./aligned-scorer.ts";
import { ownTokenizer } from "./own-tokenizer.ts";
import type { TaughtModel, TeacherKind } from "./teacher.ts";

export const endpoint: TeacherKind = {
  info: {
    title: "A model behind an address",
    meaning:
      "A trainer (teacherSource: tinker URL [MODEL]) that serves the same tokenizer, or a server (completions URL MODEL) whose /completions echoes log-probabilities, with any tokenizer. Keys are TINKER_API_KEY and LIMBECK_CHAT_API_KEY. A trainer also tells its likeliest words, a server of completions speaks of sampled tokens only.",
  },
  options: { source: option.text(null, "tinker URL [MODEL], or completions URL MODEL") },
  create: async (student, { source, signal, environment = {} }) => {
    const [kind = "", url = "", name] = (source ?? "").trim().split(/\s+/);
    if (kind === "tinker" && url !== "") {
      const apiKey = environment["TINKER_API_KEY"];
      const { vocabularySize, contextLength } = student.config;
      const scorer = await openTinkerScorer({ url, apiKey, baseModel: name, vocabularySize, contextLength, signal });
      return { scorer, learned: () => undefined, state: undefined, close: () => scorer.close() };
    }
    if (kind === "completions" && url !== "" && name !== undefined) {
      const apiKey = environment["LIMBECK_CHAT_API_KEY"];
      const server = { baseUrl: url, model: name, ...(apiKey === undefined ? {} : { apiKey }) };
      return { scorer: completionsScorer(student, server), learned: () => undefined, state: undefined };
    }
    throw new EngineError(
      "bad-option",
      `teacherSource is "${source ?? ""}"; write "tinker URL", with a model's name where the trainer has several, or "completions URL MODEL".`,
    );
  },
};

/** The text goes out as it is; the server's tokens come back with their texts and are aligned with ours. */
export function completionsScorer(student: TaughtModel, server: ChatServer): Scorer {
  // The prompt is one message whose text is sent unchanged.
  const chat = openChatModel({ ...server, render: ([message]) => message?.content as string });
  const score: AlignedOptions["score"] = async (rows, { signal, report }) => {
    const asked = rows.map(({ parts, from }) => {
      const text = parts.map((part) => part.text).join("");
      return { messages: [{ role: "user" as const, content: text.slice(0, from) }], reply: text.slice(from) };
    });
    const said = await chat.scoreText(asked, signal === undefined ? {} : { signal });
    report?.({ tokens: said.reduce((total, tokens) => total + tokens.length, 0), tokensSaved: 0 });
    return said.map((tokens, at) => {
      const before = asked[at]?.messages[0]?.content ?? "";
      // What stands before the first asked token is one piece of which nothing is asked.
      return {
        texts: [...(before === "" ? [] : [before]), ...tokens.map(({ text }) => text)],
        logprobs: [...(before === "" ? [] : [0]), ...tokens.map(({ logprob }) => logprob)],
      };
    });
  };
  return alignedScorer({ tokenizer: ownTokenizer(student, "endpoint"), score });
}
