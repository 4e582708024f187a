/** The examples of docs/learn/write-a-*.md: compiled with everything else, run here, and held to the contract suites. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { midrange } from "../examples/write/credit.ts";
import { brevity } from "../examples/write/reward.ts";
import { greedy } from "../examples/write/search.ts";
import { midway } from "../examples/write/strategy.ts";
import { createCorridor } from "../packages/core/src/env/corridor.ts";
import {
  creditContract,
  envContract,
  rewardContract,
  searchContract,
  strategyContract,
} from "../packages/limbeck/src/doors/testing.ts";
import { advantages, answers, rowAdvantages } from "./support/credit.ts";

const runner = { describe, test };
creditContract({ name: "midrange", credit: midrange, runner });
rewardContract({ name: "brevity", reward: brevity, runner, options: [{ most: 3 }] });
strategyContract({ name: "midway", create: () => midway.create({ branches: 3 }), runner });
// As wide as on the page: write-a.nightly.test.ts.
searchContract({ name: "greedy", create: () => greedy.create({ width: 2 }), runner });
envContract({ name: "corridor", env: createCorridor(), runner });

test("midrange: halfway between the best and the worst", () => {
  // (1 + 0) / 2 = 0.5; alone: 0, or the score.
  expect(rowAdvantages(midrange, answers([1, 0.75, 0]))).toEqual([0.5, 0.25, -0.5]);
  expect(rowAdvantages(midrange, answers([0.75]))).toEqual([0]);
  expect(advantages(midrange, answers([0.75], [{ mask: [1, 0] }]), { singleton: "raw" })).toEqual([[0.75, 0]]);
});

test("CONTRIBUTING names every page that shows how to write a part", () => {
  const text = readFileSync(new URL("../CONTRIBUTING.md", import.meta.url), "utf8");
  for (const part of ["credit-method", "reward", "search", "strategy", "world"])
    expect(text).toContain(`docs/learn/write-a-${part}.md`);
});
