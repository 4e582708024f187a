/** `limbeck templates`: whether a model's chat template lets a conversation grow without drift. */
import type { Command } from "../command.ts";
import { flag } from "../options.ts";

export const templates: Command = {
  group: "look",
  summary: "Check a model's chat template: does a conversation grow by appending, and where would tokens drift",
  usage: "check DIR [--strict]",
  description:
    "DIR is a folder with tokenizer.json and a chat template (chat_template.jinja, or in tokenizer_config.json), or a GGUF file; weights are not needed. Chats with system messages, empty turns, thinking and tool calls are written by the template turn by turn. Each time, what the model had read and said is compared with the prompt that the template makes of the same chat later. The first token that differs is shown with the text around it.\n" +
    "Frameworks that render the whole chat anew for every turn train on other tokens than the model saw wherever this says drifts. Limbeck does not: with prompts that append, what was read and said stays as tokens; where the template rewrites even plain answers, --prompts rebuilt gives every step a prompt of its own. The last line says which of the two works with this template, tried with the very code that agents use.\n" +
    "The exit code is 0 when nothing drifts or Limbeck handles it, and 4 when neither way works: the template refuses plain chats, does not end answers with a special token, or does not come to an end. --strict also gives 4 for any drift: a gate for continuous integration where another framework renders the chat. The template runs in a process of its own, for 20 seconds and with 2 GiB at most.",
  arity: [2, 2],
  subcommands: { check: "try the template of a folder" },
  options: { strict: flag("Exit code 4 for any drift, also where Limbeck handles it") },
  examples: [
    "limbeck templates check models/qwen3",
    "limbeck templates check models/qwen3 --strict",
    "limbeck templates check models/qwen3 --json",
  ],
  jsonFields: {
    scenario: "name of a chat that was tried",
    about: "what is in it",
    state: "appends, drifts, leaves-out (appends, but the model would not see a part), or refused (by the template)",
    drift:
      "where it drifts: message, token (counted from the beginning), cause (history: other text; tokens: the same text cut otherwise), before, saw, shown; null elsewhere",
    missing: "the part that is left out; null elsewhere",
    error: "code and message of what the template said, where it refused; null elsewhere",
    appends: "last line: chats that grow by appending",
    drifts: "last line: chats that drift",
    leavesOut: "last line: chats that append but lose a part",
    refused: "last line: chats that the template refuses",
    handling: "last line: what Limbeck does: append (exact tokens), rebuilt (a prompt for each step), or none",
    thinkingOff: "last line: the same with thinking switched off; null where the template has no switch",
    system: "last line: whether the template shows a system message",
    reason: "last line: why appending does not work, code and message; null where it does",
    ok: "last line: whether the exit code is 0",
  },
  run: async (invocation) => (await import("../templates/check-template.ts")).runTemplateCheck(invocation),
};
