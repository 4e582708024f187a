/** Options of a method as a table: names, kinds and published defaults. Docs, the command line and checks derive from it. */
import { EngineError } from "./errors.ts";
import { unknownName } from "./registry.ts";

interface NumberOption {
  readonly kind: "number";
  readonly default: number;
  readonly least?: number;
  readonly most?: number;
  readonly whole?: boolean;
  readonly meaning: string;
}

/** A number that may be switched off. */
interface LimitOption {
  readonly kind: "limit";
  readonly default: number | null;
  readonly least?: number;
  readonly most?: number;
  readonly whole?: boolean;
  readonly meaning: string;
}

interface FlagOption {
  readonly kind: "flag";
  readonly default: boolean;
  readonly meaning: string;
}

interface ChoiceOption {
  readonly kind: "choice";
  readonly default: string;
  readonly choices: readonly string[];
  readonly meaning: string;
}

/** A name, a folder or an address; none unless given. */
interface TextOption {
  readonly kind: "text";
  readonly default: string | null;
  readonly meaning: string;
}

export type OptionSpec = NumberOption | LimitOption | FlagOption | ChoiceOption | TextOption;
export type OptionTable = Readonly<Record<string, OptionSpec>>;

type ValueOf<Spec> = Spec extends { readonly kind: "number" }
  ? number
  : Spec extends { readonly kind: "limit" }
    ? number | null
    : Spec extends { readonly kind: "flag" }
      ? boolean
      : Spec extends { readonly kind: "text" }
        ? string | null
        : Spec extends { readonly choices: readonly (infer Choice)[] }
          ? Choice
          : never;

export type OptionValue = number | string | boolean | null;
export type OptionValues<Table> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

/** Defaults filled in, names and values checked. */
export function resolveOptions<Table extends OptionTable>(
  table: Table,
  given: Readonly<Record<string, unknown>>,
  method: string,
): OptionValues<Table> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined) throw unknownName(unknown, Object.keys(table), `option of ${method}`);
  const values = Object.entries(table).map(([name, spec]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return [name, value === undefined ? spec.default : checkValue(name, spec, value, method)];
  });
  return Object.fromEntries(values) as OptionValues<Table>;
}

/** A value as it stands on a command line: `--set gamma=0.9`, `--set clip=none`. */
export function parseOption(table: OptionTable, name: string, text: string, method: string): OptionValue {
  if (!Object.hasOwn(table, name)) throw unknownName(name, Object.keys(table), `option of ${method}`);
  const spec = table[name] as OptionSpec;
  if (spec.kind === "flag") {
    if (text === "true" || text === "false") return text === "true";
    throw wrongValue(name, spec, text, method);
  }
  if (spec.kind === "choice") return checkValue(name, spec, text, method);
  if ((spec.kind === "limit" || spec.kind === "text") && (text === "none" || text === "null")) return null;
  if (spec.kind === "text") return checkValue(name, spec, text, method);
  return checkValue(name, spec, text.trim() === "" ? Number.NaN : Number(text), method, text);
}

/** What a value may be, in words. */
export function allowedValues(spec: OptionSpec): string {
  if (spec.kind === "flag") return "true or false";
  if (spec.kind === "choice") return spec.choices.join(" or ");
  if (spec.kind === "text") return "a text, or none";
  const noun = spec.whole === true ? "a whole number" : "a number";
  const bounds = [
    ...(spec.least === undefined ? [] : [`at least ${spec.least}`]),
    ...(spec.most === undefined ? [] : [`at most ${spec.most}`]),
  ].join(", ");
  return `${noun}${bounds === "" ? "" : ` ${bounds}`}${spec.kind === "limit" ? ", or none" : ""}`;
}

function checkValue(
  name: string,
  spec: OptionSpec,
  value: unknown,
  method: string,
  shown: unknown = value,
): OptionValue {
  if (spec.kind === "flag" && typeof value === "boolean") return value;
  if (spec.kind === "choice" && typeof value === "string" && spec.choices.includes(value)) return value;
  if ((spec.kind === "limit" || spec.kind === "text") && value === null) return null;
  if (spec.kind === "text" && typeof value === "string" && value.trim() !== "") return value;
  if ((spec.kind === "number" || spec.kind === "limit") && typeof value === "number" && fits(spec, value)) return value;
  throw wrongValue(name, spec, shown, method);
}

function fits(spec: NumberOption | LimitOption, value: number): boolean {
  if (!Number.isFinite(value) || (spec.whole === true && !Number.isInteger(value))) return false;
  return value >= (spec.least ?? Number.NEGATIVE_INFINITY) && value <= (spec.most ?? Number.POSITIVE_INFINITY);
}

function wrongValue(name: string, spec: OptionSpec, value: unknown, method: string): EngineError {
  return new EngineError(
    "usage",
    `Option ${name} of ${method} is ${JSON.stringify(value) ?? "undefined"}; it takes ${allowedValues(spec)}. Its default is ${String(spec.default ?? "none")}.`,
    { details: { option: name, value, method } },
  );
}
