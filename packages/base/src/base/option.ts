/** Makers of options: `gamma: option.share(0.95, "discount")`. */
import type { DeepValue, LimitKind, Range, ValueKind } from "./option-table.ts";

/** A default, what it means, and what it may be. */
export const option = {
  number: (standard: number, meaning: string, range: Range = {}) =>
    ({ kind: "number", default: standard, ...range, meaning }) as const,

  /** A whole number. */
  count: (standard: number, meaning: string, least = 1) =>
    ({ kind: "number", default: standard, least, whole: true, meaning }) as const,

  /** A number from 0 to 1. */
  share: (standard: number, meaning: string) =>
    ({ kind: "number", default: standard, least: 0, most: 1, meaning }) as const,

  /** A number that may be switched off. */
  limit: <Default extends number | null>(standard: Default, meaning: string, range: Omit<LimitKind, "kind"> = {}) =>
    ({ kind: "limit", default: standard, ...range, meaning }) as const,

  flag: (standard: boolean, meaning: string) => ({ kind: "flag", default: standard, meaning }) as const,

  choice: <const Choice extends string>(standard: NoInfer<Choice>, choices: readonly Choice[], meaning: string) =>
    ({ kind: "choice", default: standard, choices, meaning }) as const,

  /** With null as the default, none is a value too; so of a list. */
  text: <Default extends string | null>(standard: Default, meaning: string) =>
    ({ kind: "text", default: standard, meaning }) as const,

  list: <const Item extends ValueKind, const Default extends readonly DeepValue[] | null>(
    standard: Default,
    of: Item,
    meaning: string,
    fewest = 0,
  ) => ({ kind: "list", of, default: standard, fewest, meaning }) as const,
};
