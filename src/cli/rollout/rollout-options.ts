/** Options of a rollout, played here or by workers. */
import { unknownName, withoutUndefined, type OptionValue } from "../../base/index.ts";
import { parseOption } from "../../base/options.ts";
import { neededSizeName } from "../../recipe/settings.ts";
import { getStrategy } from "../../rollout/index.ts";
import type { EpisodeLimits } from "../../walk/index.ts";
import { DEFAULTS } from "../../run/index.ts";
import type { Invocation } from "../command.ts";
import { maybeCount, maybeNumber } from "../model/open-given.ts";
import { parseOptionTexts } from "../play/world-options.ts";
import { usageError } from "../parse.ts";

export interface GivenStrategy {
  readonly name: string;
  readonly options: Record<string, OptionValue>;
}

export function givenStrategy(invocation: Invocation): GivenStrategy {
  const name = invocation.text("strategy") ?? DEFAULTS.strategy;
  const { options } = getStrategy(name);
  const group = invocation.text("group");
  const given = [
    ...(group === undefined ? [] : [[neededSizeName(name), group] as const]),
    ...parseOptionTexts(invocation, "set"),
  ];
  const read = given.map(([key, text]) => [key, parseOption(options, key, text, name)] as const);
  return { name, options: Object.fromEntries(read) };
}

export function episodeLimits(invocation: Invocation): EpisodeLimits {
  return withoutUndefined({
    steps: maybeCount(invocation, "max-steps"),
    tokens: maybeCount(invocation, "episode-tokens"),
    seconds: maybeNumber(invocation, "episode-seconds", { low: 0 }),
  });
}

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
