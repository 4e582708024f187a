/** Whether the plan of a measurement was committed before its figure: the history of the repository says it, and nothing else can. */
import { spawnSync } from "node:child_process";

/** Why it was not; undefined where it was. A plan that names its commit ("commit 64af9211 …") is that commit. */
export function planFault(repository: string, { plan, figure }: { readonly plan: string; readonly figure: string }) {
  const git = (...words: readonly string[]) => spawnSync("git", words, { cwd: repository, encoding: "utf8" });
  const firstWith = (text: string): string =>
    git("log", "--reverse", "--format=%H", "-S", text, "--", "docs").stdout.split("\n")[0] ?? "";
  const heading = plan.replace(/^\S+: /, "");
  const named = /\bcommit ([0-9a-f]{7,40})\b/.exec(heading)?.[1];
  const planned = named === undefined ? firstWith(heading) : git("rev-parse", "--verify", named).stdout.trim();
  const measured = firstWith(figure);
  if (planned === "") return `the plan "${heading}" is in no commit`;
  if (measured === "") return `the figure ${figure} is in no commit`;
  const isBefore = planned !== measured && git("merge-base", "--is-ancestor", planned, measured).status === 0;
  const [one, other] = [planned, measured].map((commit) => commit.slice(0, 8));
  return isBefore
    ? undefined
    : `the plan "${heading}" (${one}) was not committed before its figure ${figure} (${other})`;
}

/** Whether the first commits are here too. */
export function hasWholeHistory(repository: string): boolean {
  const asked = spawnSync("git", ["rev-parse", "--is-shallow-repository"], { cwd: repository, encoding: "utf8" });
  return asked.status === 0 && asked.stdout.trim() === "false";
}
