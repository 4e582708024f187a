/** Options of commands, one line each; read with the functions of the same names of an `Invocation`. */
import type { Option } from "./command.ts";

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
  library: text("DIR", 'Folder of the library. Default: "skills"'),
} as const;
