/** Chat-messages JSON lines, written in the Anthropic shape; reading takes either shape, line by line. */
import { readChat, writeChat } from "./chat.ts";
import type { Format } from "./format.ts";

export const anthropicChat: Format = {
  id: "anthropic-chat",
  summary: "Chat messages with tool calls, one conversation per line, in the Anthropic shape.",
  extensions: [".jsonl", ".jsonl.gz"],
  loses:
    "ids, tasks, groups, branches, rewards, endings, tokens, log-probabilities, usage and timing, unless the conversation came from such a file and its line had them",
  read: readChat,
  write: (path, trajectories, options) => writeChat(path, trajectories, "anthropic", options),
};
