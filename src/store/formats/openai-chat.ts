/** Chat-messages JSON lines, written in the OpenAI shape; reading takes either shape, line by line. */
import { readChat, writeChat } from "./chat.ts";
import type { Format } from "./format.ts";

export const openaiChat: Format = {
  id: "openai-chat",
  summary: "Chat messages with tool calls, one conversation per line, in the OpenAI shape.",
  extensions: [".jsonl", ".jsonl.gz"],
  loses:
    "ids, tasks, groups, branches, rewards, endings, tokens, log-probabilities, usage and timing, unless the conversation came from such a file and its line had them",
  read: readChat,
  write: (path, trajectories, options) => writeChat(path, trajectories, "openai", options),
};
