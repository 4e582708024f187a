/**
 * A Python program of somebody else in a child process: alone, without this process's environment, in a folder of its own,
 * with limits on time, memory, files and what it writes. It is no sandbox: the program can read what this user can.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { createGate } from "limbeck-core/walk/calls";
import type { GraderTools, Ran } from "./grader.ts";

export interface PythonLimits {
  /** Default: python3. */
  readonly python?: string | undefined;
  /** Of the processor for one program, and four times as long by the clock. Default: 30. */
  readonly seconds?: number;
  /** Default: 1024. */
  readonly megabytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const MOST_OUTPUT = 100_000;
const SHOWN = 500;

/** Limits first, then the program. A program that ends early, with whatever code, does not say the word at the end. */
const DRIVER = `
import sys
def main():
    megabytes, seconds, word = int(sys.argv[1]), int(sys.argv[2]), sys.stdin.readline().strip()
    try:
        import resource
        limits = [("RLIMIT_CPU", seconds), ("RLIMIT_AS", megabytes << 20), ("RLIMIT_FSIZE", 1 << 20), ("RLIMIT_CORE", 0)]
        for name, most in limits:
            try:
                resource.setrlimit(getattr(resource, name), (most, most))
            except (AttributeError, ValueError, OSError):
                pass
    except ImportError:
        pass
    source = sys.stdin.read()
    exec(compile(source, "<answer>", "exec"), {"__name__": "__main__"})
    sys.stdout.flush()
    print("\\n" + word, flush=True)
main()
`;

/** Fails at once, with words, where there is no Python. */
export async function openPython(limits: PythonLimits = {}): Promise<NonNullable<GraderTools["runPython"]>> {
  // More at once than there are cores, and the clock would stop what the processor has hardly begun.
  const gate = createGate(availableParallelism());
  const run = async (program: string): Promise<Ran> => {
    await gate.enter(0);
    try {
      return await runPython(program, limits);
    } finally {
      gate.leave();
    }
  };
  const { ok, output } = await run("assert 1 + 1 == 2");
  if (ok) return run;
  throw new EngineError(
    "needs-unmet",
    `${limits.python ?? "python3"} does not run a program: ${output || "it says nothing"}.`,
  );
}

async function runPython(program: string, limits: PythonLimits): Promise<Ran> {
  const { python = "python3", seconds = 30, megabytes = 1_024, signal } = limits;
  const word = randomBytes(16).toString("hex");
  const folder = await mkdtemp(join(tmpdir(), "limbeck-suite-"));
  try {
    const child = spawn(python, ["-I", "-c", DRIVER, String(megabytes), String(seconds)], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, TMPDIR: folder, PYTHONHASHSEED: "0" },
      stdio: ["pipe", "pipe", "pipe"],
      timeout: 4 * seconds * 1_000,
      killSignal: "SIGKILL",
      ...(signal === undefined ? {} : { signal }),
    });
    let [out, errors] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => {
      out = (out + chunk.toString()).slice(-MOST_OUTPUT);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-MOST_OUTPUT);
    });
    // It may end before it has read all of its program.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${word}\n${program}`);
    const ended = await new Promise<{ readonly code: number | null }>((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(error, python)));
      child.once("close", (code) => resolve({ code }));
    });
    if (ended.code === null) return { ok: false, output: `stopped: more than ${seconds} seconds, or too much memory` };
    return { ok: ended.code === 0 && out.trimEnd().endsWith(word), output: errors.trim().slice(-SHOWN) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function notStarted(error: unknown, python: string): unknown {
  if (errorCode(error) !== "ENOENT") return error;
  return new EngineError(
    "needs-unmet",
    `There is no ${python} here, and answers that are code are judged by running them. Install Python 3, or name one with --python FILE.`,
  );
}
