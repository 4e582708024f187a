/** Writers are really killed (SIGKILL), 50 times, while one process reads and one compacts. `npm run soak` does 1,000. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runKills } from "../../test/support/kill-run.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-kill-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

test(
  "50 killed writers lose and double nothing, and the reader never sees an error",
  { timeout: 240_000 },
  async () => {
    const report = await runKills({ root, kills: 50, writers: 3, compactors: 1, seed: "kill" });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBe(50);
    // The test has seen something: data, reads and compactions while writers died, and deleted files.
    expect(report.stored).toBeGreaterThanOrEqual(report.acknowledged);
    expect(report.acknowledged).toBeGreaterThan(50);
    expect(report.reads).toBeGreaterThan(1);
    expect(report.compactions).toBeGreaterThan(1);
    expect(report.deleted).toBeGreaterThan(1);
  },
);
