import { expect, test } from "vitest";
import { chooseTrials, searchedOver, type Over } from "./trials.ts";

const grpo = { recipe: "grpo", given: [] };

test("without a word the learning rate and the group size are tried, round the recipe's own values", () => {
  // grpo has 0.0003 and 8. The temperature of training episodes can only be 1, so there is nothing to try.
  expect(searchedOver(grpo, [])).toEqual([
    ["learningRate", ["0.00003", "0.0001", "0.0003", "0.001"]],
    ["group", ["4", "8", "16"]],
  ]);
  // What is given is not searched.
  const given = { recipe: "grpo", given: [["group", "4"]] as const };
  expect(searchedOver(given, []).map(([name]) => name)).toEqual(["learningRate"]);
});

test("a name with values takes these, a name alone multiples of its own; a preset says what its own value is", () => {
  expect(searchedOver(grpo, ["klWeight=0, 0.01,0", "group"])).toEqual([
    ["klWeight", ["0", "0.01"]],
    ["group", ["4", "8", "16"]],
  ]);
  const paper = { recipe: "kepo", given: [["preset", "paper"]] as const };
  // kepo's paper has 2e-6.
  expect(searchedOver(paper, ["learningRate"])).toEqual([["learningRate", ["2e-7", "7e-7", "0.000002", "0.000007"]]]);
});

test("what is nothing to search over is refused by name", () => {
  expect(() => searchedOver(grpo, ["klWeight"])).toThrow(/"klWeight" is nothing to search over: no values of klWeight/);
  expect(() => searchedOver(grpo, ["klWeight=0.1"])).toThrow(/two or more different values/);
  expect(() => searchedOver(grpo, ["klWeight=0,,1"])).toThrow(/two or more different values/);
  expect(() => searchedOver(grpo, ["group=2,4", "group=8,9"])).toThrow(/"group" is searched over twice/);
  expect(() => searchedOver({ recipe: "grpo", given: [["group", "4"]] }, ["group=2,4"])).toThrow(/also given as 4/);
  expect(() => chooseTrials(grpo, [["colour", ["red", "blue"]]], 4)).toThrow(/colour/);
  expect(() => chooseTrials(grpo, [["group", ["2", "many"]]], 4)).toThrow(/group/);
  expect(() => chooseTrials(grpo, [["temperature", ["0.7", "1"]]], 4)).toThrow(/temperature/);
  expect(() => chooseTrials(grpo, [], 4)).toThrow(/at least two settings/);
});

test("few combinations are all tried, the recipe's own first; of many each value comes up about as often", () => {
  const few: Over[] = [["learningRate", ["0.001", "3e-4"]]];
  expect(chooseTrials(grpo, few, 6).map(({ arm, own }) => [arm.name, arm.settings?.["learningRate"], own])).toEqual([
    ["1,learningRate=3e-4", 3e-4, true],
    ["2,learningRate=0.001", 1e-3, false],
  ]);
  // 12 combinations, 6 trials: each of 4 rates comes up once or twice, each of 3 groups twice.
  const many = chooseTrials(grpo, searchedOver(grpo, []), 6);
  const times = (name: string): number[] => {
    const values = many.map((one) => one.values[name]);
    return [...new Set(values)]
      .map((value) => values.filter((other) => other === value).length)
      .toSorted((left, right) => left - right);
  };
  expect(times("learningRate")).toEqual([1, 1, 2, 2]);
  expect(times("group")).toEqual([2, 2, 2]);
  expect(many[0]?.own).toBe(true);
  expect(new Set(many.map(({ arm }) => arm.name)).size).toBe(6);
});
