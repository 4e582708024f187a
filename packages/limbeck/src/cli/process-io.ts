/** The real process as an `Io`: streams, signals, the terminal. The only file here that touches it. */
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline/promises";
import { isatty } from "node:tty";
import { giveWay } from "limbeck-base/base/give-way";
import { holdProcess } from "limbeck-base/base/parts/hold-process";
import type { Io } from "./command.ts";
import { EXIT } from "./exit-code.ts";

const SIGNAL_EXIT = { SIGINT: EXIT.interrupted, SIGTERM: 143 } as const;

/** What takes longer than this after a signal says so. */
const FINISHING_MS = 900;

/** Runs `answer` on this process. Where it has an answer, that is the exit code; returns whether it had one. */
export async function answerOnProcess(
  answer: (words: readonly string[], io: Io) => Promise<number | undefined>,
): Promise<boolean> {
  const code = await answer(
    process.argv.slice(2),
    processIo(new AbortController().signal, { closed: false, broken: false }),
  );
  if (code !== undefined) process.exitCode = code;
  return code !== undefined;
}

/** Runs `main` on this process and leaves its answer as the exit code. */
export async function runProcess(main: (words: readonly string[], io: Io) => Promise<number>): Promise<void> {
  const stop = new AbortController();
  const state: State & { signal?: keyof typeof SIGNAL_EXIT } = { closed: false, broken: false };
  const onSignal = (signal: keyof typeof SIGNAL_EXIT): void => {
    // The second one means now: whatever is half done is an unused temporary file.
    if (state.signal !== undefined) process.exit(SIGNAL_EXIT[signal]);
    state.signal = signal;
    if (process.stderr.isTTY) process.stderr.write("\nStopping; once more to stop at once.\n");
    // A program reads one object of standard error, and the exit code.
    if (process.argv.includes("--json")) return stop.abort(signal);
    setTimeout(() => {
      const [command = ""] = process.argv.slice(2);
      process.stderr.write(
        `limbeck ${command} finishes what it has begun and stores it; a second signal ends it at once.\n`,
      );
    }, FINISHING_MS).unref();
    stop.abort(signal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // `limbeck sql … | head` closes the pipe early. That is no error: stop the work and end quietly.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    state.closed = true;
    stop.abort("output-closed");
  });
  // Whoever reads the messages may go; there is nowhere left to say so.
  process.stderr.on("error", () => undefined);
  const code = await main(process.argv.slice(2), processIo(stop.signal, state));
  // What a broken file left running would keep the process.
  if (state.broken) process.exit(code);
  if (state.closed) process.exitCode = EXIT.done;
  else process.exitCode = code === EXIT.interrupted && state.signal !== undefined ? SIGNAL_EXIT[state.signal] : code;
}

interface State {
  closed: boolean;
  /** A file of the user's failed: something of it may still run. */
  broken: boolean;
}

function processIo(signal: AbortSignal, state: State): Io {
  return {
    out: (text) => {
      if (!state.closed) process.stdout.write(text);
    },
    err: (text) => {
      if (!state.closed) process.stderr.write(text);
    },
    env: process.env,
    cwd: process.cwd(),
    terminal: {
      out: isatty(1),
      err: isatty(2),
      in: isatty(0),
      columns: Math.max(40, process.stdout.columns || process.stderr.columns || 80),
    },
    giveWay,
    ask: async (question) => {
      if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      // While it asks, readline takes Ctrl-C from the terminal itself.
      lines.on("SIGINT", () => process.emit("SIGINT"));
      try {
        return await lines.question(question, { signal });
      } finally {
        lines.close();
      }
    },
    readInput: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString("utf8");
    },
    now: () => performance.now(),
    signal,
    hold: async (work) => {
      const held = holdProcess();
      try {
        return await Promise.race([work(), held.broken]);
      } catch (error) {
        state.broken = true;
        throw error;
      }
    },
  };
}
