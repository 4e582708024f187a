/** The contract of a command: parse, call, print, exit code. Nothing here touches the process. */
import type { EventTable, Facts, NativeName, Progress, ProgressOptions } from "limbeck-base/base/operation";
import type { Style } from "./look/style.ts";

/** The world as a command sees it; tests give their own. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether standard output, error and input are terminals, and how wide. */
  readonly terminal: { readonly out: boolean; readonly err: boolean; readonly in: boolean; readonly columns: number };
  /** Asks on the terminal; undefined without one. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** The whole of standard input as text. */
  readonly readInput: () => Promise<string>;
  /** Milliseconds that only grow; for rates and durations. */
  readonly now: () => number;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Runs work that calls files of a user, which must not end the process or write into its output. Default: as it is. */
  readonly hold?: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Puts the process behind others, by so much; gives how far behind it stands. Default: it stays where it is. */
  readonly giveWay?: (niceness: number) => number;
}

export interface Option {
  readonly type: "string" | "boolean";
  /** A word behind a flag that is its value, as in `--ask policy`; any other word stands for itself. Default: none is. */
  readonly mayTake?: RegExp;
  readonly summary: string;
  /** The value's name in help: `--run ID`. */
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  /** Known values, for completion and for the error text. Lazy: asking may load a module. */
  readonly choices?: () => readonly string[] | Promise<readonly string[]>;
}

export interface Invocation {
  readonly io: Io;
  readonly positionals: readonly string[];
  readonly text: (option: string) => string | undefined;
  readonly texts: (option: string) => readonly string[];
  readonly json: boolean;
  readonly quiet: boolean;
  /** The folder of runs: `--store`, else LIMBECK_STORE, else `runs` in the working folder. */
  readonly storeRoot: string;
  /** Colours for standard output; plain where colours are not wanted. */
  readonly style: Style;
  readonly commands: CommandTable;
  /** One line of the result for a person; nothing with `--json`. */
  readonly print: (line?: string) => void;
  /** One line beside the result, on standard error; nothing with `--quiet` or `--json`. */
  readonly note: (line: string) => void;
  /** One JSON object on one line; the only way a command prints with `--json`. */
  readonly printJson: (value: object) => void;
  /** Says an error as the frame would, for a command that goes on or chooses its own exit code. */
  readonly report: (error: unknown) => void;
  readonly progress: (options: ProgressOptions) => Progress;
  /** What is done where the command fails: it takes back what was made in advance. */
  readonly onFailure: (takeBack: () => Promise<void>) => void;
}

/** What a command line says of itself before the command runs. */
export type Words = Pick<Invocation, "io" | "positionals" | "text" | "texts">;

export type CommandGroup = "start" | "data" | "look" | "learn" | "shell";

export interface Command {
  readonly group: CommandGroup;
  readonly summary: string;
  /** What follows the name in the usage line: `FILE… [options]`. */
  readonly usage: string;
  /** Paragraphs of the help text below the summary. */
  readonly description?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Help puts options under these headings: the usual ones first, those that are named nowhere last. Default: one list. */
  readonly sections?: Readonly<Record<string, readonly string[]>>;
  /** How many arguments it takes, at least and at most. Default: none. */
  readonly arity?: readonly [least: number, most: number];
  /** The first argument is one of these when given; name and summary, for help, completion and the error text. */
  readonly subcommands?: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  /** JSON fields that `--json` prints, for the help text and `docs/lookup/generated/cli.md`. "*" stands for fields the data names. */
  readonly fields: Readonly<Record<string, string>>;
  /** The same by event, and of lines that are none, for a group of commands. */
  readonly says?: { readonly events: EventTable; readonly line: Facts };
  /** Such parts that it will use; loaded before it runs, so that a missing one costs no work. Default: none. */
  readonly natives?: readonly NativeName[] | ((words: Words) => readonly NativeName[]);
  readonly run: (invocation: Invocation) => Promise<number>;
}

export type CommandTable = Readonly<Record<string, Command>>;
