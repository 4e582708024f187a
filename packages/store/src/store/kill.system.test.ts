/** Writers are really killed (SIGKILL) while one process reads and one compacts. By night 50, and 1,000 by `npm run soak`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runKills } from "../../../../test/support/kill-run.ts";
import { tries } from "../../../../test/support/thorough.ts";

const KILLS = tries(6, 50);
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-kill-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

test(
  `${KILLS} killed writers lose and double nothing, and the reader never sees an error`,
  { timeout: 240_000 },
  async () => {
    const report = await runKills({ root, kills: KILLS, writers: 3, compactors: 1, seed: "kill" });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBe(KILLS);
    // The test has seen something: data, reads and compactions while writers died, and deleted files.
    expect(report.stored).toBeGreaterThanOrEqual(report.acknowledged);
    expect(report.acknowledged).toBeGreaterThan(KILLS);
    expect(report.reads).toBeGreaterThan(1);
    expect(report.compactions).toBeGreaterThan(1);
    expect(report.deleted).toBeGreaterThan(1);
  },
);
