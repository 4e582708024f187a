import { expect, test } from "vitest";
import { runWriters } from "../../../../test/support/kill-run.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";

onEveryStore((place) => {
  const folder = (): string => place().root;

  test(
    "four processes commit to one run at once while two compact: nothing is lost or doubled",
    { timeout: 180_000 },
    async () => {
      const report = await runWriters({ root: folder(), writers: 4, commits: 8, compactors: 2 });
      expect(report.faults).toEqual([]);
      expect(report.stored).toBe(report.acknowledged);
      // 4 writers, 8 commits, at least one trajectory each.
      expect(report.stored).toBeGreaterThanOrEqual(32);
      expect(report.compactions).toBeGreaterThan(0);
    },
  );
});
