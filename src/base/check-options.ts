/**
 * What functions called from code demand of their options: the same refusals as those of the command line. Each function has one
 * table; what is not given, and what is no number, is its own affair.
 */
import type { NumberKind, LimitKind } from "./option-table.ts";
import { badOption, fits, wrongValue } from "./options.ts";

/** A number, or what else the option takes beside numbers. */
export type NumberCheck = (NumberKind | LimitKind) & { readonly or?: "text" | "object" };
export type NumberChecks = Readonly<Record<string, NumberCheck>>;

/** What most options are. */
export const may = {
  /** At least 1. */
  count: { kind: "number", whole: true, least: 1 },
  /** At least 0. */
  whole: { kind: "number", whole: true, least: 0 },
  /** A seed is a number or a word. */
  seed: { kind: "number", whole: true, least: 0, or: "text" },
  share: { kind: "number", least: 0, most: 1 },
  amount: { kind: "number", least: 0 },
  positive: { kind: "number", above: 0 },
  port: { kind: "number", whole: true, least: 0, most: 65_535 },
} as const satisfies NumberChecks;

/**
 * Throws "bad-option" at the first option that is given and not what the table allows. `inside` names the option that holds them.
 *
 * @example
 * const checks = { steps: may.count, temperature: may.amount };
 * checkOptions("my-function", { steps: 3 }, checks);
 * try {
 *   checkOptions("my-function", { steps: Number.NaN }, checks);
 * } catch (error) {
 *   console.log(String(error)); // EngineError: Option steps of my-function is NaN; it takes a whole number at least 1.
 * }
 */
export function checkOptions(what: string, given: unknown, table: NumberChecks, inside?: string): void {
  if (given === undefined) return;
  const names = Object.keys(table).join(", ");
  if (typeof given !== "object" || given === null) throw badOption(what, inside ?? "options", given, `{${names}}`);
  for (const [name, check] of Object.entries(table)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || (value === null && check.kind === "limit")) continue;
    if (check.or === "text" && typeof value === "string") continue;
    if (check.or === "object" && typeof value === "object" && value !== null) continue;
    if (typeof value === "number" && fits(check, value)) continue;
    throw wrongValue(inside === undefined ? name : `${inside}.${name}`, check, value, what);
  }
}
