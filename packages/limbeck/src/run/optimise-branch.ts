/** A commit on a new branch, beside whatever lies in the working tree: neither it nor the index of its user is touched. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { EngineError, errorData } from "limbeck-base/base/errors";

const run = promisify(execFile);

/** A folder in a repository, and a branch that is not there yet; refused before anything is played for it. */
export async function openBranch(folder: string, branch: string) {
  const git = async (words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> => {
    const env = { ...process.env, ...environment };
    return (await run("git", ["-C", folder, ...words], { timeout: 60_000, env })).stdout.trim();
  };
  const refuse = (why: string): never => {
    throw new EngineError("usage", why);
  };
  const head = await git(["rev-parse", "--verify", "HEAD^{commit}"]).catch((error: unknown) =>
    refuse(
      `A better text ends in a git branch, and "${folder}" is in no repository with a commit (${errorData(error).message.split("\n")[0] ?? ""}). Begin one: git init && git add . && git commit.`,
    ),
  );
  await git(["check-ref-format", "--branch", branch]).catch(() =>
    refuse(`--branch "${branch}" is no name of a branch.`),
  );
  if ((await git(["branch", "--list", branch])) !== "")
    refuse(`The branch "${branch}" is there already. Give another --branch.`);
  const prefix = await git(["rev-parse", "--show-prefix"]);
  return {
    /** Texts by their path from the folder. */
    commit: async (files: Readonly<Record<string, string>>, message: string, by: string): Promise<string> => {
      const own = await mkdtemp(join(tmpdir(), "limbeck-branch-"));
      try {
        const index = { GIT_INDEX_FILE: join(own, "index") };
        await git(["read-tree", head], index);
        for (const [at, [path, text]] of Object.entries(files).entries()) {
          const file = join(own, String(at));
          await writeFile(file, text);
          const blob = await git(["hash-object", "-w", "--no-filters", file]);
          await git(["update-index", "--add", "--cacheinfo", `100644,${blob},${prefix}${path}`], index);
        }
        const tree = await git(["write-tree"], index);
        const name = { GIT_AUTHOR_NAME: by, GIT_COMMITTER_NAME: by };
        const mail = { GIT_AUTHOR_EMAIL: "limbeck@localhost", GIT_COMMITTER_EMAIL: "limbeck@localhost" };
        const commit = await git(["commit-tree", tree, "-p", head, "-m", message], { ...name, ...mail });
        // Of forty zeros: only where the branch is not there.
        await git(["update-ref", `refs/heads/${branch}`, commit, "0".repeat(40)]);
        return commit;
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
  };
}
