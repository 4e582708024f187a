/** Makers of inputs of an operation: `tasks: input.count("N", "How many tasks", { default: 50 })`. */
import type { Spelling, Part } from "./operation.ts";

type Own = Omit<Spelling, "value" | "names"> & { readonly required?: true };
type Range = Own & { readonly default?: number | null; readonly least?: number; readonly most?: number };

const NUMBER = { kind: "number" } as const;

/** `value` is what help calls the value, as in `--run ID`. */
export const input = {
  text: <const More extends Own & { readonly default?: string }>(value: string, meaning: string, more = {} as More) =>
    ({ kind: "text", value, meaning, ...more }) as const,

  /** One of these. Names that are code's to know are asked for when the option is given. */
  choice: <const Name extends string, const More extends Own & { readonly default?: string } = {}>(
    value: string,
    meaning: string,
    names: readonly Name[] | (() => readonly Name[] | Promise<readonly Name[]>),
    more = {} as More,
  ) =>
    ({ kind: "text", value, meaning, names: typeof names === "function" ? names : () => names, ...more }) as {
      readonly kind: "text";
      readonly value: string;
      readonly meaning: string;
      readonly "~type"?: Name;
    } & More,

  /** A whole number of at least 1. */
  count: <const More extends Range>(value: string, meaning: string, more = {} as More) =>
    ({ ...NUMBER, whole: true, least: 1 as number, value, meaning, ...more }) as const,

  number: <const More extends Range>(value: string, meaning: string, more = {} as More) =>
    ({ ...NUMBER, value, meaning, ...more }) as const,

  flag: <const More extends Own>(meaning: string, more = {} as More) => ({ kind: "flag", meaning, ...more }) as const,

  /** May be given more than once; commas stay. */
  texts: <const More extends Own>(value: string, meaning: string, more = {} as More) =>
    ({ kind: "list", of: { kind: "text" }, value, meaning, ...more }) as const,

  /** Of files and folders; as it was typed, so `run` resolves it against `cwd`. */
  path: <const More extends Own & { readonly default?: string }>(value: string, meaning: string, more = {} as More) =>
    ({ kind: "path", value, meaning, ...more }) as const,

  /** 90s, 15m, 1h; milliseconds in code. */
  time: <const More extends Own>(meaning: string, more = {} as More) =>
    ({ kind: "time", value: "TIME", meaning, ...more }) as const,

  /** KIND=N, each kind at most once. */
  amounts: <const Kind extends string, const More extends Own>(
    kinds: readonly Kind[],
    value: string,
    meaning: string,
    more = {} as More & { readonly noun?: string },
  ) => ({ kind: "amounts", kinds, value, meaning, ...more }) as const,

  /** KEY=VALUE, options of a method that another input names; `readSettings` reads them by its table. */
  settings: <const More extends Own>(meaning: string, more = {} as More) =>
    ({ kind: "settings", value: "KEY=VALUE", meaning, ...more }) as const,

  /** NAME=VALUE; numbers, true, false and JSON are read as such. */
  values: <const More extends Own>(value: string, meaning: string, more = {} as More) =>
    ({ kind: "values", value, meaning, ...more }) as const,

  part: <const More extends Own & { readonly default?: string }>(
    part: Part,
    value: string,
    meaning: string,
    more = {} as More,
  ) => ({ kind: "part", part, value, meaning, ...more }) as const,
};
