import { expect, test } from "vitest";
import { runWriters } from "../../../../test/support/kill-run.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";
import { tries } from "../../../../test/support/thorough.ts";

const COMMITS = tries(4, 8);

onEveryStore((place) => {
  const folder = (): string => place().root;

  test(
    "four processes commit to one run at once while two compact: nothing is lost or doubled",
    { timeout: 180_000 },
    async () => {
      const report = await runWriters({ root: folder(), writers: 4, commits: COMMITS, compactors: 2 });
      expect(report.faults).toEqual([]);
      expect(report.stored).toBe(report.acknowledged);
      // 4 writers, at least one trajectory for each commit.
      expect(report.stored).toBeGreaterThanOrEqual(4 * COMMITS);
      expect(report.compactions).toBeGreaterThan(0);
    },
  );
});
