/** The files that a change touches: what is not committed, and what was committed since the branch left `origin/main`. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Empty where there is no repository, as in a tarball. */
export function changedFiles(): ReadonlySet<string> {
  const git = (...words: string[]): string[] => {
    try {
      return execFileSync("git", words, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
        .split("\n")
        .filter((line) => line !== "");
    } catch {
      // No git, no such commit: nothing is known to have changed.
      return [];
    }
  };
  const head = git("rev-parse", "HEAD")[0];
  const base = git("merge-base", "HEAD", "origin/main")[0];
  // On main itself the last commit is the change.
  const from = base === undefined || base === head ? "HEAD~1" : base;
  return new Set([
    ...git("diff", "--name-only", "HEAD"),
    ...git("diff", "--name-only", from, "HEAD"),
    ...git("ls-files", "--others", "--exclude-standard"),
  ]);
}
