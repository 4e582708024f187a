/** Runs npm, or another package manager, with an end in time and in what is kept of its output. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { cleanLines } from "./clean-text.ts";
import { EngineError, throwIfAborted } from "./errors.ts";
import { commandText } from "./missing-packages.ts";
import type { Environment } from "./package-folder.ts";
import { formatDuration } from "./units.ts";

interface ManagerOptions {
  readonly cwd: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** How an error begins. Default: with the command. */
  readonly problem?: string;
  /** Default: an hour. */
  readonly limitMs?: number;
}

const LIMIT_MS = 3_600_000;
const LAST_LINES = 15;
/** What is of no use where nobody reads it, in the words of npm. */
const QUIET = { npm_config_audit: "false", npm_config_fund: "false", npm_config_update_notifier: "false" };

export async function runManager(command: readonly string[], options: ManagerOptions): Promise<void> {
  const { cwd, environment, signal, problem, limitMs = LIMIT_MS } = options;
  // On Windows it is a command file, which only a shell can start.
  const shell = process.platform === "win32";
  const [program = "npm", ...words] = shell ? command.map((word) => commandText([word])) : command;
  const bounds = { signal, timeout: limitMs, killSignal: "SIGKILL", maxBuffer: 2 ** 24 } as const;
  try {
    await promisify(execFile)(program, words, { cwd, env: { ...environment, ...QUIET }, shell, ...bounds });
  } catch (cause) {
    throwIfAborted(signal);
    const { stdout = "", stderr = "", ...ended } = cause as Ended;
    const last = cleanLines(`${stdout}\n${stderr}`).filter((line) => line.trim() !== "");
    const how = `In ${cwd}, ${commandText(command)} ${howItEnded(ended, limitMs)}${last.length === 0 ? "." : ":"}`;
    const lines = last.slice(-LAST_LINES).map((line) => `  ${line.slice(0, 300)}`);
    throw new EngineError("fetch-failed", [...(problem === undefined ? [] : [problem]), how, ...lines].join("\n"));
  }
}

interface Ended {
  readonly stdout?: string;
  readonly stderr?: string;
  /** The exit code, or what Node says. */
  readonly code?: number | string | null;
  readonly signal?: string;
  readonly killed?: boolean;
}

function howItEnded({ code, signal, killed }: Ended, limitMs: number): string {
  if (code === "ENOENT") return "could not be started: no such program";
  if (typeof code === "number") return `failed with exit code ${code}`;
  return killed === true && typeof code !== "string"
    ? `did not end within ${formatDuration(limitMs)}`
    : `failed (${code ?? signal})`;
}
