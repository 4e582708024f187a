/**
 * A task that is a state of a repository: each run works in a clone of its own, which shares only git's objects. What the agent
 * commits, resets or deletes there stays there, and there is no remote to push to.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { EngineError, errorData } from "limbeck-base/base/errors";
import type { Task } from "limbeck-base/trajectory/trajectory";

const hash = z.string().regex(/^[0-9a-f]{7,64}$/, "a commit's hash");
/** A path that git takes as one, inside of the repository. */
const inside = z.string().regex(/^(?!\/|-|.*(?:^|\/)\.\.(?:\/|$))[^\p{Cc}]+$/u, "a path inside of the repository");

export const repositorySchema = z.strictObject({
  path: z.string().min(1),
  commit: hash,
  /** Files that are put in place before the check, as they were in a later commit: the tests that the work was to pass. */
  tests: z.strictObject({ commit: hash, files: z.array(inside).min(1).max(200) }).optional(),
});

export type RepositoryState = z.infer<typeof repositorySchema>;

export function repositoryOf({ data }: Pick<Task, "data">): RepositoryState | undefined {
  const given = data?.["repository"];
  return given === undefined ? undefined : repositorySchema.parse(given);
}

const run = promisify(execFile);
const GIT_MS = 120_000;

async function git(folder: string, words: readonly string[]): Promise<string> {
  // Hooks and pagers of the machine have no part in it.
  const quiet = ["-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"];
  const { stdout } = await run("git", [...quiet, "-C", folder, ...words], { timeout: GIT_MS, maxBuffer: 16_000_000 });
  return stdout;
}

/** `folder` is there and empty. */
export async function checkOut({ path, commit }: RepositoryState, folder: string): Promise<void> {
  try {
    await git(folder, ["clone", "--quiet", "--shared", "--no-checkout", "--", path, "."]);
    await git(folder, ["remote", "remove", "origin"]);
    await git(folder, ["checkout", "--quiet", "--detach", commit]);
  } catch (cause) {
    throw lost(`Commit ${commit} of "${path}" cannot be checked out`, cause);
  }
}

/** Puts the tests in place, whatever the agent did to them. */
export async function placeTests({ tests, path }: RepositoryState, folder: string): Promise<void> {
  if (tests === undefined) return;
  try {
    await git(folder, ["checkout", "--quiet", tests.commit, "--", ...tests.files]);
  } catch (cause) {
    throw lost(`The tests of commit ${tests.commit} of "${path}" cannot be put in place`, cause);
  }
}

function lost(what: string, cause: unknown): EngineError {
  const said = errorData(cause).message.trim().split("\n").at(-1) ?? "";
  return new EngineError("env-lost", `${what}: ${said.slice(0, 300)}.`, { cause });
}
