/** The world of a command, held in memory. */
import type { Io } from "../../src/cli/command.ts";
import { main } from "../../src/cli/index.ts";

export interface FakeOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: Partial<Io["terminal"]>;
  readonly answer?: string;
  /** One answer to each question in turn; nobody answers after the last. */
  readonly answers?: readonly string[];
  readonly input?: string;
  readonly signal?: AbortSignal;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The JSON objects on standard output. */
  readonly objects: () => Record<string, unknown>[];
}

/** Runs a command line through `main` and collects what it wrote. The clock stands still. */
export async function limbeck(words: readonly string[], options: FakeOptions = {}): Promise<Ran> {
  let out = "";
  let err = "";
  const answers = options.answers?.values();
  const io: Io = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    terminal: { out: false, err: false, in: false, columns: 80, ...options.terminal },
    ask: () => Promise.resolve(answers === undefined ? options.answer : answers.next().value),
    readInput: () => Promise.resolve(options.input ?? ""),
    now: () => 0,
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await main(words, io);
  const objects = (): Record<string, unknown>[] =>
    out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, out, err, objects };
}
