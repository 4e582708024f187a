import { expect, test } from "vitest";
import { lock, scriptedAsker, searchTable } from "../../../../test/support/table-search.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { lineTo, nodesBelow, type SearchNode } from "../walk/tree/node.ts";

const ends = (root: SearchNode): SearchNode[] => nodesBelow(root).filter(({ ending }) => ending !== undefined);
const levels = (root: SearchNode): unknown[] =>
  ends(root).map(({ info }) => (info?.["degradation"] as { level?: string } | undefined)?.level);

/** Does the same wrong thing until it is told to change its strategy. */
function stubborn() {
  const policy = createScriptedPolicy({
    script: ({ observation, index }) => (/strategy\.|never tried/.test(observation) || index > 0 ? "right" : "wrong"),
  });
  return createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), answerTokens: 24 });
}

test("attempts that repeat themselves trigger the monitor, and the retry changes", async () => {
  const { root, success } = await searchTable("spark", lock(2, 0), { agent: stubborn(), settings: { rounds: 4 } });
  // The first memo cannot repeat anything. In the second, exec is what it was while plan and oss rose: z 0 - 1 - 1, weighted by 1/2.
  expect(levels(root).slice(0, 2)).toEqual(["none", "soft"]);
  const seen = (ends(root)[1]?.info?.["degradation"] ?? {}) as { weighted?: number };
  expect(seen.weighted).toBeCloseTo(-1, 6);
  expect(success).toBe(true);
  expect(ends(root)).toHaveLength(3);
});

test("a monitor that only looks on computes the same and tells nothing", async () => {
  const settings = { rounds: 4, monitor: false };
  const { root, success } = await searchTable("spark", lock(2, 0), { agent: stubborn(), settings });
  expect(levels(root).slice(0, 2)).toEqual(["none", "soft"]);
  expect(success).toBe(false);
  expect(ends(root)).toHaveLength(4);
  for (const node of nodesBelow(root)) expect(node.step?.prompt ?? "").not.toContain("Change the strategy");
});

test("memos are written by a model where there is one", async () => {
  const asker = scriptedAsker([[/Write a memo/, () => "Facts: the wheel is stuck.\nStrategy: turn it the other way."]]);
  const { root } = await searchTable("spark", lock(2, 0), { asker, settings: { rounds: 2 } });
  const prompts = nodesBelow(root).flatMap(({ step }) => step?.prompt ?? []);
  expect(prompts.some((prompt) => prompt.includes("turn it the other way"))).toBe(true);
});

test("it stops at the first success", async () => {
  const { root } = await searchTable("spark", lock(2, 1), { settings: { rounds: 4 } });
  expect(ends(root)).toHaveLength(1);
  expect(lineTo(ends(root)[0] as SearchNode)).toHaveLength(3);
});
