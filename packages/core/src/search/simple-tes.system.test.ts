import { expect, test } from "vitest";
import { lock, solvedBy, type SearchTable } from "../../../../test/support/table-search.ts";
import { tries } from "../../../../test/support/thorough.ts";

test("balanced chains and candidates beat one chain and independent attempts at the same number of calls", async () => {
  /*
   * Left is a way that ends at a pond worth 0.05, right a lock of 8 wheels whose first is always turned right. An attempt is
   * refined from its middle, which lies behind the choice: a chain that began on the left stays there. That is half of the
   * single chains, and of two chains that keep the better of two candidates both in 1 of 16 cases. Alone, an attempt opens
   * the lock in 1 of 2^8 cases.
   */
  const { moves, ends, chances } = lock(8, 0.5);
  const table: SearchTable = {
    moves: { start: { left: "l0", right: "w0" }, l0: { on: "l1" }, l1: { on: "pond" }, ...moves },
    ends: { ...ends, pond: 0.05 },
    maxSteps: 10,
    chances: { ...chances, start: { left: 0.5, right: 0.5 }, l0: { on: 1 }, l1: { on: 1 }, w0: { right: 1 } },
  };
  const solved = (method: string, settings: Readonly<Record<string, unknown>>): Promise<number> =>
    solvedBy(method, table, { seeds: tries(20, 40), budget: { modelCalls: 200 }, settings });
  const balanced = await solved("simple-tes", { chains: 2, candidates: 2, depth: 200 });
  const single = await solved("simple-tes", { chains: 1, candidates: 1, depth: 200 });
  const alone = await solved("best-of-n", { n: 200 });
  expect(balanced).toBeGreaterThan(single);
  expect(balanced).toBeGreaterThan(alone);
});
