/** The world of a command, held in memory. */
import type { CommandTable, Io } from "../../packages/limbeck/src/cli/command.ts";
import { commands } from "../../packages/limbeck/src/cli/index.ts";
import { runCommand } from "../../packages/limbeck/src/cli/run-command.ts";

export interface FakeOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: Partial<Io["terminal"]>;
  readonly answer?: string;
  /** One answer to each question in turn; nobody answers after the last. */
  readonly answers?: readonly string[];
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds. Default: the clock stands still. */
  readonly now?: () => number;
  /** Hears standard output as it is written. */
  readonly onOut?: (text: string) => void;
  /** Default: those there are. */
  readonly commands?: CommandTable;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The JSON objects on standard output. */
  readonly objects: () => Record<string, unknown>[];
}

/** Runs a command line as `main` does and collects what it wrote. */
export async function limbeck(words: readonly string[], options: FakeOptions = {}): Promise<Ran> {
  let out = "";
  let err = "";
  const answers = options.answers?.values();
  const io: Io = {
    out: (text) => {
      out += text;
      options.onOut?.(text);
    },
    err: (text) => {
      err += text;
    },
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    terminal: { out: false, err: false, in: false, columns: 80, ...options.terminal },
    ask: () => Promise.resolve(answers === undefined ? options.answer : answers.next().value),
    readInput: () => Promise.resolve(options.input ?? ""),
    now: options.now ?? (() => 0),
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await runCommand(words, io, options.commands ?? commands);
  const objects = (): Record<string, unknown>[] =>
    out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, out, err, objects };
}

export interface Serving {
  /** The line with which it says that it listens. */
  readonly line: Record<string, unknown>;
  /** Ctrl-C, and what came of it. */
  readonly stop: () => Promise<Ran>;
}

/** Starts a command that listens, with `--json`, and waits until it does. */
export async function serving(words: readonly string[], options: FakeOptions = {}): Promise<Serving> {
  const stop = new AbortController();
  let ended: Promise<Ran> | undefined;
  const line = await new Promise<Record<string, unknown>>((resolve, reject) => {
    const onOut = (text: string): void => {
      const said = JSON.parse(text) as Record<string, unknown>;
      if (said["event"] === "listening") resolve(said);
    };
    ended = limbeck([...words, "--json"], { ...options, onOut, signal: stop.signal });
    void ended.then(({ err }) => reject(new Error(`It ended before it listened: ${err}`)), reject);
  });
  return {
    line,
    stop: async () => {
      stop.abort();
      return (await ended) as Ran;
    },
  };
}
