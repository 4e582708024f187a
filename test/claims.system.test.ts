/** The commands of claims whose files a change touches, at their smallest; all of them run in `npm run test:nightly`. */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRun, loadClaims } from "../packages/limbeck/src/cli/catalog/catalog.ts";
import { changedFiles } from "./support/changed-files.ts";
import { planFault } from "../scripts/claims/planned-first.ts";
import { metricFault } from "../scripts/claims/run-claim.ts";
import { claimTests } from "./support/claim-tests.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";

const newFolder = temporaryFolders();
const changed = changedFiles();
const run = [...loadClaims()].map(([system, claim]) => ({ system, ...claim })).filter(isRun);
const touched = run.filter(({ slow, lives, proof }) => {
  const files = [
    lives,
    ...proof.map((one) => (typeof one === "string" ? (one.split(":")[0] ?? "") : one.study)),
  ].flat();
  return !slow && files.some((file) => changed.has(file));
});

describe("claims whose files changed", () => {
  if (touched.length > 0) claimTests(touched);
  // A change of no such file has nothing to run, and a file without tests would fail.
  test("are looked for among the files of the repository", () => expect(changed).toBeInstanceOf(Set));
});

test("a metric that holds with its mechanism off, and one that falls elsewhere than stated", async () => {
  const command = "limbeck search --env countdown --policy expert --method best-of-n";
  const claim = { command, metric: "nodes > 2" };
  expect(await metricFault({ ...claim, off: "--seed 2", fallen: 0 })).toContain("nodes > 2 holds all the same");
  const off = "--set n=1";
  expect(await metricFault({ ...claim, off, fallen: 1 })).toBeUndefined();
  expect(await metricFault({ ...claim, off, fallen: 0 })).toContain("printed 1, 1; the claim says 0");
  expect(await metricFault({ ...claim, off, fallen: "absent" })).toContain("the claim says absent");
  expect(await metricFault({ ...claim, off: `${command} --set n=1`, fallen: 1 })).toBeUndefined();
});

test("a plan that came with its figure, after it, and before it", async () => {
  const cwd = await newFolder();
  const git = (...words: readonly string[]): string => execFileSync("git", words, { cwd, encoding: "utf8" }).trim();
  const commit = async (text: string): Promise<string> => {
    await mkdir(join(cwd, "docs"), { recursive: true });
    await writeFile(join(cwd, "docs", "log.md"), text);
    git("add", "-A");
    git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "a");
    return git("rev-parse", "HEAD");
  };
  git("init", "-q");
  const program = await commit("");
  await commit("Plan one.\n");
  await commit("Plan one.\n0.1 [0.0, 0.2]\nPlan two.\n0.2 [0.1, 0.3]\n");
  await commit("Plan one.\n0.1 [0.0, 0.2]\nPlan two.\n0.2 [0.1, 0.3]\nPlan three.\n");
  const of = (plan: string, figure: string) => planFault(cwd, { plan: `docs/log.md: ${plan}`, figure });
  expect(of("Plan one.", "0.1 [0.0, 0.2]")).toBeUndefined();
  expect(of("Plan two.", "0.2 [0.1, 0.3]")).toContain("was not committed before its figure");
  expect(of("Plan three.", "0.1 [0.0, 0.2]")).toContain("was not committed before");
  expect(of("Plan four.", "0.1 [0.0, 0.2]")).toContain("is in no commit");
  expect(of(`commit ${program.slice(0, 8)}, the program`, "0.1 [0.0, 0.2]")).toBeUndefined();
});
