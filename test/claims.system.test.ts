/** The commands of claims whose files a change touches, at their smallest; all of them run in `npm run test:nightly`. */
import { describe, expect, test } from "vitest";
import { isRun, loadClaims } from "../packages/limbeck/src/cli/catalog/catalog.ts";
import { changedFiles } from "./support/changed-files.ts";
import { claimTests } from "./support/claim-tests.ts";

const changed = changedFiles();
const run = [...loadClaims()].map(([system, claim]) => ({ system, ...claim })).filter(isRun);
const touched = run.filter(({ slow, lives, proof }) => {
  const files = [lives, ...proof.map((one) => (typeof one === "string" ? (one.split(":")[0] ?? "") : one.study))].flat();
  return !slow && files.some((file) => changed.has(file));
});

describe("claims whose files changed", () => {
  if (touched.length > 0) claimTests(touched);
  // A change of no such file has nothing to run, and a file without tests would fail.
  test("are looked for among the files of the repository", () => expect(changed).toBeInstanceOf(Set));
});
