/** Options of commands that let an agent act in a world. Kept apart from what they open, so that help stays quick. */
import type { Option } from "../command.ts";
import { expertsOption } from "../orchestrate/experts-option.ts";
import { envNames } from "../play/env-names.ts";
import { flag, shared, text } from "../options.ts";

export const envOptions = {
  env: text("ID", "The world", envNames),
  "env-set": shared.envSet,
  experts: expertsOption,
  split: text("NAME", "Split of the tasks. Default: test for eval, valid for search, else the first"),
  offset: text("N", "Tasks to pass over first. Default: 0"),
} as const satisfies Record<string, Option>;

/** Headings of help for the options below. */
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

export const speechOptions = {
  concurrency: text("N", "Episodes at work at the same time. Default: 64"),
  "max-steps": text("N", "Steps of an episode. Default: the world's own limit"),
  "max-tokens": text("N", "Tokens of one answer. Default: 64; 1024 for a chat"),
  temperature: text("T", "Of the draws. Default: 1, and for a chat its own"),
  prompts: text(
    "KIND",
    "append (one conversation), rebuilt (each step), memory, or context (condensed when called)",
    () => ["append", "rebuilt", "memory", "context"],
  ),
  history: text("N", "Turns shown in rebuilt prompts. Default: 4"),
  form: text("KIND", "plain or tagged answers, or call-first: a line with the action, then thoughts", () => [
    "plain",
    "tagged",
    "call-first",
  ]),
  system: text("TEXT", "System message"),
  restrict: flag("Confine answers to the actions the world lists (models only)"),
  threads: shared.threads,
  cores: shared.cores,
  draft: shared.draft,
  weights: shared.weights,
  cache: shared.cache,
  attention: text(
    "KIND",
    "With --weights int8 or int4: two-level scores few keys of long contexts. Default: full",
    async () => (await import("../../policy/local/quantised/kinds.ts")).ATTENTION_KINDS,
  ),
  "draft-model": text("NAME|DIR", "Smaller model with the same tokenizer, for --draft model"),
  "draft-tree": text(
    "KIND",
    "Form of the guesses: chain, goose (n-grams), delayed or graft (a draft model or heads), parallel (a draft model, while the model checks). Default: chain",
    async () => (await import("../../policy/local/draft/kinds.ts")).DRAFT_TREES,
  ),
  guide: text(
    "DIR",
    "Draw every token from the policy times this model: a reward of tokens (limbeck reward train --kind autoregressive)",
  ),
  "guide-beta": text("X", "What the guide's log-probabilities are divided by. Default: 1"),
  "guide-draws": text("N", "Answers drawn, of which one is kept by its weight. Default: 1"),
  "draft-context": text(
    "N",
    "Most tokens of the context that the draft model reads, the first and the last. Default: all",
  ),
  "draft-nodes": text("N", "Most guesses of an answer that are checked at once. Default: 7; 15 with auto"),
} as const satisfies Record<string, Option>;
