/** Settings of recipes whose policy chooses among things that it is shown. `play.ts` reads them. */
import { option } from "limbeck-base/base/option";
import type { OptionTable } from "limbeck-base/base/option-table";

export const choosingSettings = {
  answers: option.choice(
    "listed",
    ["listed", "free"],
    "whether answers are confined to what is listed, for models too small to write, or free",
  ),
  prompts: option.choice(
    "append",
    ["append", "rebuilt"],
    "one growing conversation, or a fresh prompt with only the present observation at every step",
  ),
  history: option.count(0, "turns shown in rebuilt prompts", 0),
} as const satisfies OptionTable;
