/** How an agent is spoken to, how it answers and how its model runs. */
import { input } from "limbeck-base/base/input";
import { draftInputs, engineInputs } from "limbeck-policy/policy/engine.inputs";

export const speechInputs = {
  concurrency: input.count("N", "Episodes at work at the same time. Default: 64"),
  maxSteps: input.count("N", "Steps of an episode. Default: the world's own limit"),
  answerTokens: input.count("N", "Tokens of one answer. Default: 64; 1024 for a chat", { flag: "max-tokens" }),
  temperature: input.number("T", "Of the draws. Default: 1, and for a chat its own", { least: 0 }),
  prompts: input.choice(
    "KIND",
    "append (one conversation), rebuilt (each step), memory, or context (condensed when called)",
    async () => (await import("limbeck-core/update/settings")).PROMPTS,
  ),
  history: input.count("N", "Turns shown in rebuilt prompts. Default: 4", { least: 0 }),
  form: input.choice("KIND", "plain or tagged answers, or call-first: a line with the action, then thoughts", [
    "plain",
    "tagged",
    "call-first",
  ]),
  system: input.text("TEXT", "System message"),
  restrict: input.flag("Confine answers to the actions the world lists (models only)"),
  ...engineInputs,
  guide: input.path(
    "DIR",
    "Draw every token from the policy times this model: a reward of tokens (limbeck reward train --kind autoregressive)",
  ),
  guideBeta: input.number("X", "What the guide's log-probabilities are divided by. Default: 1", { least: 0 }),
  guideDraws: input.count("N", "Answers drawn, of which one is kept by its weight. Default: 1"),
  ...draftInputs,
};

/** Headings of help for these. */
export const speechSections = {
  "How it answers": ["max-steps", "max-tokens", "temperature", "prompts", "history", "form", "system", "restrict"],
  "How the model runs": [
    "concurrency",
    "threads",
    "cores",
    "weights",
    "cache",
    "attention",
    "draft",
    "draft-model",
    "draft-tree",
    "draft-context",
    "draft-nodes",
    "guide",
    "guide-beta",
    "guide-draws",
  ],
} as const;
