/**
 * An operation says once what the command line, its help, `--json`, completion, docs/lookup/generated/cli.md and a caller in code know of
 * it: its inputs, its events, and the function that does it. Files named `*.operation.ts`, `*.inputs.ts` and `*.part.ts`
 * are loaded when the command line starts, so they import values from `base` and from each other only; what does the work
 * is loaded by `import()` in `run`. The command line takes it up with `commandOf` (packages/limbeck/src/cli/command-of.ts).
 */
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { EngineError } from "./errors.ts";
import type { DeepValue, OptionTable, OptionValue, ValueKind, ValueOf } from "./option-table.ts";
import type { PartName } from "./optional-part.ts";
import { badOption, checkValue, parseOption } from "./options.ts";
import { unknownName } from "./registry.ts";
import { startRunning, type Running } from "./running.ts";

/** How an input is typed and shown. Default: `--kebab-name VALUE`. */
export interface Spelling {
  /** "max-tokens" for answerTokens. */
  readonly flag?: string;
  readonly short?: string;
  /** What help calls the value: "NAME|DIR". */
  readonly value?: string;
  /** An argument: the first is 0, "rest" takes all that are left. */
  readonly at?: number | "rest";
  /** What the flag means without a value: `--ask` is `--ask chat`. `takes` says which words behind it are its value. */
  readonly bare?: string;
  readonly takes?: RegExp;
  /** Known values, for completion and the error text; asking may load a module. */
  readonly names?: () => readonly string[] | Promise<readonly string[]>;
}

/** What can be given by name, by a file or as an object; one value for each, in a light file: `env/env.part.ts`. */
export interface Part {
  readonly names?: () => readonly string[] | Promise<readonly string[]>;
  /** What must be loaded before it can be used. */
  readonly natives?: (given: string, cwd: string) => readonly NativeName[];
}

interface PartKind {
  /** A name or a file. */
  readonly kind: "part";
  readonly part: Part;
}

interface OwnKind {
  /**
   * path: as it was typed. time: milliseconds, typed as 90s. amounts: kind=number. values:
   * name=value. settings: the same, typed texts are read by a table that `run` knows (`readSettings`).
   */
  readonly kind: "path" | "time" | "amounts" | "values" | "settings";
  readonly kinds?: readonly string[];
  /** What a kind of an amount is called. */
  readonly noun?: string;
}

export type InputSpec = (ValueKind | PartKind | OwnKind) &
  Spelling & {
    readonly meaning: string;
    /** Help says it. Without one an input that is not given is undefined; flags are false, lists, amounts and values empty. */
    readonly default?: DeepValue;
    readonly required?: true;
    readonly "~type"?: unknown;
  };
export type InputTable = Readonly<Record<string, InputSpec>>;

type Kind<S> = S extends { readonly "~type"?: infer Type extends {} | null }
  ? Type
  : S extends { readonly kind: "part" | "path" }
    ? string
    : S extends { readonly kind: "time" }
      ? number
      : S extends { readonly kind: "amounts"; readonly kinds: readonly (infer Name extends string)[] }
        ? Readonly<Partial<Record<Name, number>>>
        : S extends { readonly kind: "values" | "settings" }
          ? Values
          : ValueOf<S>;
type Filled = { readonly default: unknown } | { readonly required: true } | { readonly kind: EmptyKind };
type EmptyKind = "flag" | "list" | "amounts" | "values" | "settings";
// oxlint-disable-next-line typescript/no-explicit-any
type Values = any;

/** What `run` gets. */
export type Input<Table> = {
  readonly [Name in keyof Table]: Kind<Table[Name]> | (Table[Name] extends Filled ? never : undefined);
};
/** What a caller in code gives. */
export type Given<Table> = { readonly [Name in keyof Table]?: Kind<Table[Name]> | undefined };

/** Parts that npm may have left out: machine code for this platform, and optional packages. */
export type NativeName = "duckdb" | "onnxruntime" | Exclude<PartName, "suites">;

/** The fields of a JSON line and what each means. "*" stands for fields that the data names. */
export type Facts = Readonly<Record<string, string>>;
/** By the name of the event; `event` among its facts says in help when it comes. */
export type EventTable = Readonly<Record<string, Facts>>;
export type EventOf<Events, Line = never> =
  | { readonly [Name in keyof Events]: { readonly event: Name } & Fields<Omit<Events[Name], "event">> }[keyof Events]
  | ([Line] extends [never] ? never : Fields<Line>);
type Fields<Named> = string extends keyof Named ? object : { readonly [Name in keyof Named]?: unknown };

export interface ProgressOptions {
  /** What is going on: "Importing runs.jsonl". Cleaned by the caller. */
  readonly label: string;
  /** How much there is, when it is known; the bar and the time left need it. */
  readonly total?: number;
  /** "time" counts nothing: the line says how long it has been going on. */
  readonly unit?: "bytes" | "items" | "time";
}

export interface Progress {
  /** How much is done; `detail` is shown behind the bar. Cheap: draws at most ten times a second. */
  readonly update: (done: number, detail?: string) => void;
  /** Takes the bar off the screen. */
  readonly end: () => void;
}

/** Where an operation runs, and its callbacks. */
export interface Context<Event = never, Shows = unknown> {
  readonly emit: (event: Event) => void;
  /** For people what `emit` is for programs: the command line prints it, a caller in code may. */
  readonly show: Shows;
  readonly progress: (options: ProgressOptions) => Progress;
  /** One sentence beside the result. */
  readonly note: (sentence: string) => void;
  /** Undefined without a terminal. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** The whole of standard input as text. */
  readonly readInput: () => Promise<string>;
  readonly signal: AbortSignal;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of runs, or its address. */
  readonly store: string;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Whether a person or a caller named this input, so that it is no default. */
  readonly given: (input: string) => boolean;
  /** Loads parts that are needed from here on; a missing one is an error that says how to install it. */
  readonly need: (parts: readonly NativeName[]) => Promise<void>;
}

/** What was given has to fit together; looked at before values are read, defaults do not count. */
export type Rule<Name extends string = string> =
  /** `say` is the whole sentence. */
  | { readonly oneOf: readonly Name[]; readonly say: string }
  | { readonly never: readonly [Name, Name]; readonly say: string }
  /** `say` goes on behind the name of the one that has no place: "--keep belongs to …". */
  | { readonly only: readonly Name[]; readonly with: Name; readonly say: string }
  | { readonly only: readonly Name[]; readonly without: Name; readonly say: string };

export interface OperationInfo<Table extends InputTable, Events extends EventTable, Line extends Facts, Shows, Result> {
  /** As it is typed: "eval". */
  readonly name: string;
  readonly group: "start" | "data" | "look" | "learn" | "shell";
  readonly summary: string;
  /** What follows the name in the usage line. Default: required inputs, arguments and "[options]". */
  readonly usage?: string;
  /** Paragraphs of help below the summary. */
  readonly description?: string;
  readonly examples: readonly string[];
  /** Help puts flags under these headings; those that are named nowhere come last. Default: one list. */
  readonly sections?: Readonly<Record<string, readonly string[]>>;
  readonly input: Table;
  readonly rules?: readonly Rule<keyof Table & string>[];
  readonly events?: Events;
  /** JSON lines that have no `event`. */
  readonly line?: Line;
  /** What such a line is, where it is not the last one of all: "session". */
  readonly lineIs?: string;
  /** A type: what the command line has to print. `shows: undefined as EvalShows | undefined`. */
  readonly shows?: Shows | undefined;
  /** Parts that are loaded before it runs; `parts` are those of its inputs. Default: these. */
  readonly natives?: (
    given: (input: string) => string | undefined,
    parts: readonly NativeName[],
    environment: Context["environment"],
  ) => readonly NativeName[];
  readonly run: (input: Input<Table>, context: Context<EventOf<Events, Line>, Shows>) => Promise<Result>;
}

export type Operation<
  Table extends InputTable,
  Events extends EventTable,
  Line extends Facts,
  Shows,
  Result,
> = OperationInfo<Table, Events, Line, Shows, Result> &
  ((
    given?: Given<Table>,
    call?: Partial<Context<EventOf<Events, Line>, Shows>>,
  ) => Running<Result, EventOf<Events, Line>>);

/**
 * From the declaration to a function that can be called, with the declaration on it. In a file of its own:
 *
 *     const double = defineOperation({
 *       name: "double",
 *       group: "shell",
 *       summary: "Twice a number",
 *       examples: ["limbeck double --of 4"],
 *       input: { of: input.count("N", "The number", { default: 1 }) },
 *       run: async ({ of }) => 2 * of,
 *     });
 *     console.log(await double({ of: 4 })); // 8
 */
export function defineOperation<
  const Table extends InputTable,
  const Events extends EventTable = {},
  const Line extends Facts = never,
  Shows = unknown,
  Result = void,
>(info: OperationInfo<Table, Events, Line, Shows, Result>): Operation<Table, Events, Line, Shows, Result> {
  const call = (
    given: Given<Table> = {},
    context: Partial<Context<EventOf<Events, Line>, Shows>> = {},
  ): Running<Result, EventOf<Events, Line>> =>
    startRunning<Result, EventOf<Events, Line>>(async (emit) => {
      const values = given as Readonly<Record<string, unknown>>;
      const own = { ...silentContext(values), show: silentShow as Shows, ...context, emit };
      checkRules(info.rules ?? [], own.given);
      return await info.run(resolveInput(info.input, values, info.name), own);
    }, context.emit);
  // The name of a function can be defined, not assigned.
  return Object.defineProperties(call, Object.getOwnPropertyDescriptors(info)) as never;
}

/** Without output. */
export const silentShow: unknown = new Proxy({}, { get: () => () => undefined });

function silentContext(given: Readonly<Record<string, unknown>>): Omit<Context, "emit" | "show"> {
  return {
    progress: () => ({ update: () => undefined, end: () => undefined }),
    note: () => undefined,
    ask: () => Promise.resolve(undefined),
    readInput: () => text(process.stdin),
    signal: new AbortController().signal,
    cwd: process.cwd(),
    environment: process.env,
    store: resolve(process.env["LIMBECK_STORE"] || "runs"),
    now: () => performance.now(),
    given: (name) => given[name] !== undefined,
    need: () => Promise.resolve(),
  };
}

/** Throws a usage error at the first rule that is broken. `shown` is how an input is called. */
export function checkRules(
  rules: readonly Rule[],
  given: (input: string) => boolean,
  shown: (input: string) => string = (input) => input,
): void {
  for (const rule of rules) {
    if ("only" in rule) {
      const isFree = "with" in rule ? given(rule.with) : !given(rule.without);
      const stray = isFree ? undefined : rule.only.find(given);
      if (stray !== undefined) throw new EngineError("usage", `${shown(stray)} ${rule.say}`);
    } else if ("never" in rule ? rule.never.every(given) : rule.oneOf.filter(given).length !== 1) {
      throw new EngineError("usage", rule.say);
    }
  }
}

/** Defaults filled in, names and values checked; `what` takes them, for the error. */
export function resolveInput<Table extends InputTable>(
  table: Table,
  given: Readonly<Record<string, unknown>>,
  what: string,
): Input<Table> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined) throw unknownName(unknown, Object.keys(table), `option of ${what}`);
  const values = Object.entries(table).map(([name, spec]) => [name, resolved(name, spec, given[name], what)]);
  return Object.fromEntries(values) as Input<Table>;
}

function resolved(name: string, spec: InputSpec, value: unknown, what: string): unknown {
  if (value === undefined) {
    if (spec.required === true) throw new EngineError("usage", `"${what}" needs ${name}: ${spec.meaning}.`);
    return spec.default === undefined ? empty(spec.kind) : spec.default;
  }
  // Objects may stand for names, and texts may be blank.
  if (spec.kind === "part" || (spec.kind === "text" && typeof value === "string")) return value;
  if (spec.kind === "list" && spec.of.kind === "text" && Array.isArray(value)) return value;
  if (spec.kind === "path" && typeof value === "string" && value.trim() === "") {
    throw new EngineError("usage", `${name} is blank; give the path of a file or a folder.`);
  }
  if (spec.kind === "path") return checkValue(name, { kind: "text" }, value, what);
  if (spec.kind === "time") return checkValue(name, { kind: "number", least: 0 }, value, what);
  if (spec.kind === "values" || spec.kind === "settings") {
    return checkValue(name, { kind: "map", of: { kind: "json" } }, value, what);
  }
  if (spec.kind !== "amounts") return checkValue(name, spec as ValueKind, value, what);
  const { kinds = [] } = spec;
  const checked = checkValue(name, { kind: "map", of: { kind: "number", least: 0 } }, value, what) as object;
  const stray = Object.keys(checked).find((key) => !kinds.includes(key));
  if (stray !== undefined) throw badOption(what, name, stray, kinds.join(", "));
  return checked;
}

function empty(kind: InputSpec["kind"]): unknown {
  if (kind === "flag") return false;
  if (kind === "list") return [];
  return kind === "amounts" || kind === "values" || kind === "settings" ? {} : undefined;
}

/** Settings of a method by its table: typed texts are read, what code gives stays and is checked by the method. */
export function readSettings(
  table: OptionTable,
  given: Readonly<Record<string, unknown>>,
  method: string,
): Record<string, OptionValue> {
  const read = ([name, value]: [string, unknown]): [string, OptionValue] => [
    name,
    typeof value === "string" ? parseOption(table, name, value, method) : (value as OptionValue),
  ];
  return Object.fromEntries(Object.entries(given).map(read));
}
