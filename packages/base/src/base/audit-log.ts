/** The log of what servers refused and what was changed through them: one JSON object on each line, in files of a bounded size. */
import { mkdirSync, openSync, closeSync } from "node:fs";
import { appendFile, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Audit, AuditEntry } from "./access.ts";
import { EngineError, errorCode } from "./errors.ts";
import { isMissing } from "./files.ts";

export interface AuditOptions {
  /** A file of this size is put aside as FILE.1 and a new one begun. Default: 10 MiB. */
  readonly mostBytes?: number;
  /** Files that were put aside and are kept. Default: 4. */
  readonly kept?: number;
  readonly now?: () => Date;
  /** Called once, when lines begin to be lost. */
  readonly onProblem?: (message: string) => void;
}

const MOST_BYTES = 10 * 1024 * 1024;
/** Lines that may wait for the disk; a flood of requests must not fill the memory. */
const MOST_WAITING = 10_000;
const LONGEST_PATH = 300;

/**
 * Opens the log at once, so that a file that cannot be written is an error before the server listens.
 *
 * @example
 * import { mkdtempSync, readFileSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-audit-"));
 * const audit = openAudit(join(folder, "audit.jsonl"));
 * audit.write({ server: "studio", who: null, from: "127.0.0.1", method: "GET", path: "/api/runs", role: "read", status: 401 });
 * await audit.close();
 * console.log(readFileSync(join(folder, "audit.jsonl"), "utf8").includes('"status":401')); // true
 * rmSync(folder, { recursive: true });
 */
export function openAudit(path: string, options: AuditOptions = {}): Audit {
  const { mostBytes = MOST_BYTES, kept = 4, now = () => new Date(), onProblem } = options;
  touch(path);
  let waiting: string[] = [];
  let lost = 0;
  let isReported = false;
  let writing: Promise<void> | undefined;
  const lose = (lines: number, why: string): void => {
    lost += lines;
    if (!isReported) onProblem?.(`The audit log "${path}" loses lines: ${why}.`);
    isReported = true;
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      if (lost > 0) lines.push(line({ time: now().toISOString(), lost }));
      const before = lost;
      lost = 0;
      try {
        await turnOver(path, mostBytes, kept);
        await appendFile(path, lines.join(""), { mode: 0o600 });
      } catch (error) {
        lost = before;
        lose(lines.length, errorCode(error) ?? "unknown");
      }
    }
    writing = undefined;
  };
  return {
    write: ({ path: asked, ...entry }: AuditEntry) => {
      if (waiting.length >= MOST_WAITING) return lose(1, "they come faster than the disk takes them");
      waiting.push(line({ time: now().toISOString(), ...entry, path: asked.slice(0, LONGEST_PATH) }));
      // In the next turn, so that what comes together is written together.
      writing ??= Promise.resolve().then(drain);
    },
    close: async () => {
      await writing;
    },
  };
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function touch(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, "a", 0o600));
  } catch (cause) {
    throw new EngineError(
      "not-writable",
      `The audit log "${path}" cannot be written (${errorCode(cause) ?? "unknown"}). Name a file in a folder of yours.`,
      { details: { path }, cause },
    );
  }
}

async function turnOver(path: string, mostBytes: number, kept: number): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size < mostBytes) return;
  for (let number = kept; number >= 1; number -= 1) {
    const from = number === 1 ? path : `${path}.${number - 1}`;
    await rename(from, `${path}.${number}`).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
}
