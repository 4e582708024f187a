/** Amounts that a command line names, for commands that are not operations yet. */
import { unknownName } from "../../base/index.ts";
import type { Invocation } from "../command.ts";
import { parseOptionTexts } from "../play/world-options.ts";
import { usageError } from "../parse.ts";

/** Every KIND=N of an option; `what` is what a kind is called. */
export function givenAmounts(
  invocation: Invocation,
  option: string,
  kinds: readonly string[],
  what: string,
): Record<string, number> {
  return Object.fromEntries(
    parseOptionTexts(invocation, option).map(([kind, text]) => {
      if (!kinds.includes(kind)) throw unknownName(kind, kinds, what);
      const amount = text.trim() === "" ? Number.NaN : Number(text);
      if (amount >= 0) return [kind, amount];
      throw usageError(`--${option} ${kind}=${text}: the budget must be a number of at least 0.`);
    }),
  );
}
