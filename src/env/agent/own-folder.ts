/** The folder of one run: a state of a repository, a copy, or nothing; made ready before the agent starts. */
import { spawn } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../base/index.ts";
import type { Task } from "../../trajectory/index.ts";
import { checkOut, repositoryOf } from "./repository.ts";

/** As in `ProgramOptions`. */
interface Options {
  readonly folder: string | undefined;
  readonly prepare: readonly string[];
  readonly timeoutMs: number;
}

export async function makeFolder(task: Task, options: Options): Promise<string> {
  const own = await mkdtemp(join(tmpdir(), "limbeck-agent-"));
  try {
    const repository = repositoryOf(task);
    if (repository !== undefined) await checkOut(repository, own);
    else if (options.folder !== undefined) await cp(options.folder, own, { recursive: true });
    if (options.prepare.length > 0) await prepare(options, own);
    return own;
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    throw error;
  }
}

async function prepare({ prepare: [program = "", ...words], timeoutMs }: Options, cwd: string): Promise<void> {
  const child = spawn(program, words, { cwd, stdio: "ignore", timeout: timeoutMs });
  const end = await new Promise<string | number>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code ?? signal ?? "an unknown end"));
  });
  if (end === 0) return;
  throw new EngineError("env-lost", `"${program}" could not make the folder ready for the agent: ${end}.`);
}
