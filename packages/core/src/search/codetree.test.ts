import { expect, test } from "vitest";
import { published } from "../../../../test/support/published.ts";
import { lock, scriptedAsker, searchTable, solvedBy } from "../../../../test/support/table-search.ts";
import { nodesBelow } from "../walk/tree/node.ts";
import { verdictOn } from "./codetree.ts";

test("strategies are given to the solver, and the critic says which attempt is repaired, depth first", async () => {
  const asked: string[] = [];
  const scores = ["2", "1", "0", "5"];
  const asker = scriptedAsker([
    [/different strategies/, () => "1. Turn slowly\n2. Turn fast"],
    [/How near is this attempt/, () => (asked.push("near"), scores[asked.length - 1] ?? "0")],
    [/ways to do better/, () => "- Pull first\n- Push first"],
  ]);
  const result = await searchTable("codetree", lock(3, 0), { asker, settings: { depth: 3 } });
  const told = nodesBelow(result.root).flatMap(
    ({ step }) => /(?:Turn|Pull|Push) \w+/.exec(step?.prompt ?? "")?.[0] ?? [],
  );
  /*
   * All attempts are worth 0. "Turn slowly" 2/15: repaired. "Pull first" 1/15 is below it: not repaired. "Push first" 0: not.
   * "Turn fast" 5/15: repaired twice, and those have no score any more. Without more scores they are 0.
   */
  expect(told).toEqual(["Turn slowly", "Pull first", "Push first", "Turn fast", "Pull first", "Push first"]);
  expect(asked).toHaveLength(6);
});

test("at most so many attempts, below each other at most so many", async () => {
  // The first wheel is always turned right and the second wrong: each attempt after the first action is one step.
  const table = { ...lock(3, 0), chances: { w0: { right: 1 }, w1: { wrong: 1 } } };
  const attempts = async (settings: Readonly<Record<string, number>>): Promise<number> => {
    const { root } = await searchTable("codetree", table, { settings });
    return nodesBelow(root).filter(({ closed }) => closed).length;
  };
  // One strategy, three repairs of it, nine of those. Equal values are repaired where no critic is asked.
  expect(await attempts({})).toBe(1 + 3 + 9);
  expect(await attempts({ depth: 2 })).toBe(1 + 3);
  expect(await attempts({ depth: 4 })).toBe(20);
  expect(await attempts({ ways: 2, tries: 5 })).toBe(5);
});

test("stops at a success and repairs what came near", async () => {
  const solved = await searchTable("codetree", lock(2, 1));
  // One strategy, since all proposals mean the same, and one attempt that opens the lock.
  expect([solved.success, solved.nodes]).toEqual([true, 2]);
  const seeds = 20;
  const budget = { modelCalls: 60 };
  const repaired = await solvedBy("codetree", lock(6, 0.5), { seeds, budget, settings: { tries: 60, depth: 10 } });
  const alone = await solvedBy("best-of-n", lock(6, 0.5), { seeds, budget, settings: { n: 60 } });
  expect(repaired).toBeGreaterThan(alone);
});

interface Judged {
  readonly reward: number;
  /** Null: a strategy. */
  readonly parent: number | null;
  readonly depth: number;
  readonly score: number;
  readonly most: number;
  readonly goesOn: boolean;
  readonly value: number;
}

test("the published code repairs the same attempts", () => {
  const { cases } = published<Judged>("codetree");
  expect(cases.length).toBeGreaterThan(30);
  for (const { reward, parent, depth, score, most, goesOn, value } of cases) {
    // At the last depth there is neither a critic nor a repair.
    const found =
      depth >= most ? { value: reward, isRepaired: false } : verdictOn(reward, score, { parent: parent ?? 0, depth });
    expect({ reward, parent, depth, score, goesOn: found.isRepaired }).toEqual({
      reward,
      parent,
      depth,
      score,
      goesOn,
    });
    expect(found.value).toBeCloseTo(value, 6);
  }
});
