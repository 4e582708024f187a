/** The contract of a command: parse, call, print, exit code. Nothing here touches the process. */

/** The world as a command sees it; tests give their own. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether standard output and standard error are terminals, and how wide. */
  readonly terminal: { readonly out: boolean; readonly err: boolean; readonly in: boolean; readonly columns: number };
  /** Asks on the terminal; undefined where nobody can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Option {
  readonly type: "string" | "boolean";
  readonly summary: string;
  /** Shown in help as the value's name: `--run ID`. */
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  /** Known values, for completion and for the error text. */
  readonly choices?: () => readonly string[];
}

export interface Invocation {
  readonly io: Io;
  readonly positionals: readonly string[];
  readonly text: (option: string) => string | undefined;
  readonly texts: (option: string) => readonly string[];
  readonly flag: (option: string) => boolean;
  readonly json: boolean;
  /** One JSON object on one line; the only way a command prints with `--json`. */
  readonly printJson: (value: object) => void;
}

export interface Command {
  readonly summary: string;
  /** What follows the name in the usage line: `FILE… [options]`. */
  readonly usage: string;
  /** Paragraphs of the help text below the summary. */
  readonly description?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Names of sub-commands, for completion and for the error text. */
  readonly subcommands?: readonly string[];
  readonly examples: readonly string[];
  /** JSON fields that `--json` prints, for the help text and `docs/cli.md`. */
  readonly jsonFields: Readonly<Record<string, string>>;
  readonly run: (invocation: Invocation) => Promise<number>;
}
