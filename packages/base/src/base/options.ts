/**
 * Options of a method as a table: names, kinds, ranges, published defaults and what they mean. Types, checks, docs, the
 * command line and JSON schemas derive from it. What is code (a judge, a scorer) is no option but an argument of its own.
 *
 * Functions called from code have a small table of the numbers among their options (`checkOptions`): the same refusals.
 */
import { EngineError } from "./errors.ts";
import type {
  DeepSpec,
  DeepTable,
  DeepValue,
  LimitKind,
  NestedKind,
  NumberKind,
  OptionValues,
  Range,
  ValueKind,
  ValueOf,
} from "./option-table.ts";
import { nearestName, unknownName } from "./registry.ts";

/**
 * Defaults filled in, names and values checked.
 *
 * @example
 * const table = { scale: option.number(1, "factor of the reward"), strict: option.flag(false, "no partial credit") };
 * console.log(resolveOptions(table, { scale: 2 }, "my-reward")); // { scale: 2, strict: false }
 */
export function resolveOptions<Table extends DeepTable>(
  table: Table,
  given: Readonly<Record<string, unknown>>,
  method: string,
): OptionValues<Table> {
  return resolveFields(table, given, method, "") as OptionValues<Table>;
}

/** A value as it stands on a command line: `--set gamma=0.9`, `--set clip=none`, `--set tags=think,action`. */
export function parseOption<Table extends DeepTable>(
  table: Table,
  name: string,
  text: string,
  method: string,
): ValueOf<Table[string]> {
  if (!Object.hasOwn(table, name)) throw unknownName(name, Object.keys(table), `option of ${method}`);
  const spec = table[name] as DeepSpec;
  return checkValue(name, spec, readText(spec, text), method, text) as ValueOf<Table[string]>;
}

/** What a value may be, in words. */
export function allowedValues(spec: ValueKind): string {
  return `${kindWords(spec)}${isNullable(spec) ? ", or none" : ""}`;
}

/**
 * The error for an option with the right name and an impossible value; for checks that look at several options, too.
 *
 * @example
 * console.log(badOption("my-reward", "scale", -1, "a number above 0").message); // Option scale of my-reward is -1; it takes a number above 0.
 */
export function badOption(method: string, name: string, value: unknown, allowed: string): EngineError {
  const shown = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "undefined");
  return new EngineError("bad-option", `Option ${name} of ${method} is ${shown}; it takes ${allowed}.`, {
    details: { option: name, value, method },
  });
}

/** A number, or what else the option takes beside numbers. */
export type NumberCheck = (NumberKind | LimitKind) & {
  readonly or?: "text" | "object";
  /** Whether Infinity is a value too: without a bound. */
  readonly endless?: boolean;
};
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

/** Throws "bad-option" at the first option that is given and not what the table allows. `inside` names the option that holds them. */
export function checkOptions(what: string, given: unknown, table: NumberChecks, inside?: string): void {
  if (given === undefined) return;
  const names = Object.keys(table).join(", ");
  if (typeof given !== "object" || given === null) throw badOption(what, inside ?? "options", given, `{${names}}`);
  for (const [name, check] of Object.entries(table)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || (value === null && check.kind === "limit")) continue;
    if (check.endless === true && value === Infinity) continue;
    if (check.or === "text" && typeof value === "string") continue;
    if (check.or === "object" && typeof value === "object" && value !== null) continue;
    if (typeof value === "number" && fits(check, value)) continue;
    throw wrongValue(inside === undefined ? name : `${inside}.${name}`, check, value, what);
  }
}

function resolveFields(
  fields: NestedKind["fields"],
  given: Readonly<Record<string, unknown>>,
  method: string,
  prefix: string,
): Record<string, DeepValue> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) {
    throw unknownName(
      unknown,
      Object.keys(fields),
      `option of ${[method, ...prefix.split(".")].filter(Boolean).join(".")}`,
    );
  }
  const values = Object.entries(fields).map(([name, spec]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const standard = value === undefined ? spec.default : undefined;
    return [name, standard === undefined ? checkValue(`${prefix}${name}`, spec, value, method) : standard] as const;
  });
  return Object.fromEntries(values);
}

function isNullable(spec: ValueKind & { readonly default?: unknown }): boolean {
  return spec.kind === "limit" || spec.default === null;
}

function readText(spec: ValueKind, text: string): unknown {
  if (isNullable(spec) && (text === "none" || text === "null")) return null;
  if (spec.kind === "flag") return text === "true" ? true : text === "false" ? false : text;
  if (spec.kind === "limit" && spec.words?.includes(text) === true) return text;
  if (spec.kind === "number" || spec.kind === "limit") return text.trim() === "" ? Number.NaN : Number(text);
  if (spec.kind === "choice" || spec.kind === "text") return text;
  if (spec.kind === "list" && !text.trim().startsWith("[")) {
    return text.split(",").map((part) => readText(spec.of, part.trim()));
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The value where its kind allows it. */
export function checkValue(name: string, spec: ValueKind, value: unknown, method: string, shown = value): DeepValue {
  const wrong = (): EngineError => wrongValue(name, spec, shown, method);
  if (value === null && isNullable(spec)) return null;
  switch (spec.kind) {
    case "flag":
      if (typeof value === "boolean") return value;
      throw wrong();
    case "choice":
      if (typeof value === "string" && spec.choices.includes(value)) return value;
      throw wrong();
    case "text":
      if (typeof value === "string" && (spec.word === true ? WORD.test(value) : value.trim() !== "")) return value;
      throw wrong();
    case "number":
    case "limit":
      if (typeof value === "number" && fits(spec, value)) return value;
      if (typeof value === "string" && spec.kind === "limit" && spec.words?.includes(value) === true) return value;
      throw wrong();
    case "list":
      if (!Array.isArray(value) || value.length < (spec.fewest ?? 0)) throw wrong();
      return value.map((item, at) => checkValue(`${name}.${at}`, spec.of, item, method));
    case "map": {
      if (!isObject(value) || Object.keys(value).length < (spec.fewest ?? 0) || "" in value) throw wrong();
      const checked = Object.entries(value).map(([key, item]) => [
        key,
        checkValue(`${name}.${key}`, spec.of, item, method),
      ]);
      return Object.fromEntries(checked) as Record<string, DeepValue>;
    }
    case "table":
      if (!isObject(value)) throw wrong();
      return resolveFields(spec.fields, value, method, `${name}.`);
    case "json":
      break;
  }
  if (value === undefined) throw wrong();
  return value as DeepValue;
}

const WORD = /^[A-Za-z][\w-]*$/;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fits({ whole, least, above, most }: Range, value: number): boolean {
  if (!Number.isFinite(value) || (whole === true && !Number.isInteger(value))) return false;
  return !(value < (least ?? value)) && !(value > (most ?? value)) && (above === undefined || value > above);
}

function wrongValue(name: string, spec: ValueKind, value: unknown, method: string): EngineError {
  const near = spec.kind === "choice" && typeof value === "string" ? nearestName(value, spec.choices) : undefined;
  const standard = "default" in spec ? ` Its default is ${defaultText(spec.default)}` : "";
  const hint = near === undefined ? standard : ` Did you mean "${near}"?${standard}`;
  return badOption(method, name, value, `${allowedValues(spec)}.${hint}`.replace(/\.$/, ""));
}

/** A default as it is typed after `--set`. */
export function defaultText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "none");
}

function kindWords(spec: ValueKind): string {
  switch (spec.kind) {
    case "flag":
      return "true or false";
    case "choice":
      return spec.choices.join(" or ");
    case "text":
      return spec.word === true ? "a word" : "a text";
    case "list":
      return `a list${fewestWords(spec.fewest)}, each ${allowedValues(spec.of)}`;
    case "map":
      return `names${fewestWords(spec.fewest)}, each with ${allowedValues(spec.of)}`;
    case "table":
      return `{${Object.keys(spec.fields).join(", ")}}`;
    case "number":
    case "limit":
      return rangeWords(spec);
    case "json":
      break;
  }
  return "a JSON value";
}

function fewestWords(fewest: number | undefined): string {
  return fewest === undefined || fewest === 0 ? "" : `, at least ${fewest}`;
}

function rangeWords(spec: NumberKind | LimitKind): string {
  const bounds = [
    ...(spec.least === undefined ? [] : [`at least ${spec.least}`]),
    ...(spec.above === undefined ? [] : [`above ${spec.above}`]),
    ...(spec.most === undefined ? [] : [`at most ${spec.most}`]),
  ].join(", ");
  const words = spec.kind === "limit" ? (spec.words ?? []).map((word) => `, or ${word}`).join("") : "";
  return `${spec.whole === true ? "a whole number" : "a number"}${bounds === "" ? "" : ` ${bounds}`}${words}`;
}
