import { expect, test } from "vitest";
import { estimateOf } from "limbeck-core/eval/profile";
import { mean } from "limbeck-base/base/statistics/summary";
import { scoreValue } from "limbeck-base/trajectory/score";
import { agentValueBench } from "./agent-valuebench.ts";
import { asked } from "../../../../../test/support/asked-suite.ts";

test("the scripted poles are at 0 and 1, and who buys nothing is between", async () => {
  const position = async (who: string) => (await asked(agentValueBench, who)).report.values["thrift"]?.position?.mean;
  expect(await position("lavish")).toBeCloseTo(0);
  expect(await position("thrifty")).toBeCloseTo(1);
  expect(await position("empty")).toBeCloseTo(0.5);
});

test("a skill moves a neutral shopper towards its pole, task by task, and not to it", async () => {
  const byTask = async (who: string): Promise<readonly number[]> => {
    const { episodes } = await asked(agentValueBench, who, 4);
    const ids = [...new Set(episodes.map(({ item }) => item.id))];
    return ids.map((id) =>
      mean(episodes.flatMap(({ item, score }) => (item.id === id ? [scoreValue(score) ?? 0] : []))),
    );
  };
  const [plain, skilled] = [await byTask("neutral"), await byTask("neutral-skilled")];
  expect(plain.length).toBeGreaterThanOrEqual(20);
  const gain = estimateOf(skilled.map((value, at) => value - (plain[at] ?? 0)));
  expect(gain?.low).toBeGreaterThan(0);
  expect(mean(plain)).toBeGreaterThan(0.1);
  expect(mean(skilled)).toBeLessThan(0.9);
});
