/** The commands of claims whose files a change touches, at their smallest; all of them run in `npm run test:nightly`. */
import { describe, expect, test } from "vitest";
import { isRun, loadClaims } from "../packages/limbeck/src/cli/catalog/catalog.ts";
import { changedFiles } from "./support/changed-files.ts";
import { metricFault } from "../scripts/claims/run-claim.ts";
import { claimTests } from "./support/claim-tests.ts";

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
