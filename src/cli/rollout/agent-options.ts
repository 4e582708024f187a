/** Options of commands that let an agent act in a world. Kept apart from what they open, so that help stays quick. */
import type { Option } from "../command.ts";
import { expertsOption } from "../orchestrate/experts-option.ts";
import { envNames } from "../play/env-names.ts";

export const envOptions = {
  env: { type: "string", value: "ID", summary: "The world", choices: envNames },
  "env-set": { type: "string", value: "NAME=VALUE", multiple: true, summary: "An option of the world: dial=tiny" },
  experts: expertsOption,
  split: { type: "string", value: "NAME", summary: "Split of the tasks; the first unless told" },
  offset: { type: "string", value: "N", summary: "Tasks to pass over first; 0 unless told" },
} as const satisfies Record<string, Option>;

export const speechOptions = {
  concurrency: { type: "string", value: "N", summary: "Episodes at work at the same time; 64 unless told" },
  "max-steps": { type: "string", value: "N", summary: "Steps of an episode; the world's own limit unless told" },
  "max-tokens": { type: "string", value: "N", summary: "Tokens of one answer; 64 unless told, 1024 for a chat" },
  temperature: { type: "string", value: "T", summary: "1 unless told; a chat's own default" },
  prompts: {
    type: "string",
    value: "KIND",
    summary: "append (one conversation), rebuilt (each step), memory, or context (condensed when called)",
    choices: () => ["append", "rebuilt", "memory", "context"],
  },
  history: { type: "string", value: "N", summary: "Turns shown in rebuilt prompts; 4 unless told" },
  form: { type: "string", value: "KIND", summary: "plain or tagged answers", choices: () => ["plain", "tagged"] },
  system: { type: "string", value: "TEXT", summary: "System message" },
  restrict: { type: "boolean", summary: "Confine answers to the actions the world lists (models only)" },
  threads: { type: "string", value: "N", summary: "Threads of the engine; its own choice unless told" },
} as const satisfies Record<string, Option>;
