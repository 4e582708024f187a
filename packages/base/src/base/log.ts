/** Structured logging: one JSON object per line, to wherever the caller says. */
import { appendFileSync } from "node:fs";
import { errorData } from "./errors.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogEntry {
  readonly time: string;
  readonly level: LogLevel;
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface Logger {
  readonly debug: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly info: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly warn: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly error: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** A logger that adds these fields to every line. */
  readonly with: (fields: Readonly<Record<string, unknown>>) => Logger;
}

export interface LogOptions {
  /** Lines below this level are dropped. Default: "info". */
  readonly level?: LogLevel;
  /** The clock, so that tests can hold it still. */
  readonly now?: () => Date;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Events are named noun-verb ("segment-write", "run-end"); errors among the fields become data. */
export function createLogger(write: (entry: LogEntry) => void, options: LogOptions = {}): Logger {
  const lowest = LEVELS.indexOf(options.level ?? "info");
  const now = options.now ?? (() => new Date());
  const build = (shared: Readonly<Record<string, unknown>>): Logger => {
    const at =
      (level: LogLevel) =>
      (event: string, fields: Readonly<Record<string, unknown>> = {}) => {
        if (LEVELS.indexOf(level) < lowest) return;
        write({ ...plain({ ...shared, ...fields }), time: now().toISOString(), level, event });
      };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      with: (fields) => build({ ...shared, ...fields }),
    };
  };
  return build({});
}

/** Appends lines to a file. Logging must never stop the work it describes: a failed write is dropped. */
export function fileLog(path: string): (entry: LogEntry) => void {
  return (entry) => {
    try {
      appendFileSync(path, `${JSON.stringify(entry)}\n`);
    } catch {
      // A full disk or a removed folder is reported by the work itself.
    }
  };
}

function plain(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? errorData(value) : value]),
  );
}
