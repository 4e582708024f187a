/** Settings of recipes whose policy chooses among things that it is shown. `play.ts` reads them. */
import type { OptionTable } from "../base/index.ts";

export const choosingSettings = {
  answers: {
    kind: "choice",
    default: "listed",
    choices: ["listed", "free"],
    meaning: "whether answers are confined to what is listed, for models too small to write, or free",
  },
  prompts: {
    kind: "choice",
    default: "append",
    choices: ["append", "rebuilt"],
    meaning: "one growing conversation, or a fresh prompt with only the present observation at every step",
  },
} as const satisfies OptionTable;
