/** Options of commands, one line each; read with the functions of the same names of an `Invocation`. */
import { engineInputs } from "../policy/engine.inputs.ts";
import type { Option } from "./command.ts";
import { optionsOf } from "./options-of.ts";

/** `value` is what help calls the value: `--run ID`. */
export function text(value: string, summary: string, choices?: Option["choices"]): Option {
  return { type: "string", value, summary, ...(choices === undefined ? {} : { choices }) };
}

/** May be given more than once. */
export function texts(value: string, summary: string, choices?: Option["choices"]): Option {
  return { ...text(value, summary, choices), multiple: true };
}

export function flag(summary: string): Option {
  return { type: "boolean", summary };
}

/** `--ask`, `--ask policy`, `--ask bundled`, `--ask local:DIR`: who writes. */
export function ask(summary: string): Option {
  return { ...flag(summary), value: "chat|policy|bundled|local:DIR", mayTake: /^(?:chat|policy|bundled|local:.+)$/u };
}

/** Options that mean the same wherever they stand. */
export const shared = {
  ...optionsOf(engineInputs),
  policy: text("NAME|DIR", "A model folder or GGUF file, bundled, chat, or a scripted agent"),
  sameModel: text("DIR", "The same, for a model folder or GGUF file"),
  startModel: text("DIR", "Model to start from. Default: the bundled one"),
  newRun: text("ID", "Id of the new run. Default: made from the time"),
  redis: text("URL", "The Redis server. Default: LIMBECK_REDIS"),
  library: text("DIR", 'Folder of the library. Default: "skills"'),
  envSet: texts("NAME=VALUE", "An option of the world: dial=tiny"),
} as const;
