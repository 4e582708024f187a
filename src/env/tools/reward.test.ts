import { describe, expect, test } from "vitest";
import { outputShare, REWARD_FORMS, saidOutputs, says } from "./reward.ts";

describe("an output is said", () => {
  test.each([
    ["That is $24.50.", "24.50", true],
    ["That is 24.5 dollars", "24.50", true],
    ["That is 1,024.50", "1024.50", true],
    ["That is 124.50", "24.50", false],
    ["That is 24.501", "24.50", false],
    ["That is 24", "24.50", false],
    ["Your code is tr1234.", "TR1234", true],
    ["Your code is TR12345.", "TR1234", false],
    ["XTR1234 TR1234", "TR1234", true],
    ["", "TR1234", false],
    ["1,2,3", "3", true],
  ])("%j says %j: %j", (message, output, said) => expect(says(message, output)).toBe(said));
  test("over several messages", () => {
    const outputs = ["1", "2", "TR9"];
    const first = saidOutputs("It is 2.", outputs, 0);
    expect([first, saidOutputs("TR9", outputs, first)]).toEqual([0b010, 0b110]);
    expect(outputShare(outputs, 0b110)).toBeCloseTo(2 / 3);
    expect(outputShare([], 0)).toBe(1);
  });
});

describe("the reward", () => {
  test("exact: all or nothing, whatever the policy", () => {
    expect(REWARD_FORMS.exact({ state: 1, outputs: 1, policy: 0 })).toBe(1);
    expect(REWARD_FORMS.exact({ state: 1, outputs: 0.5, policy: 1 })).toBe(0);
    expect(REWARD_FORMS.exact({ state: 0, outputs: 1, policy: 1 })).toBe(0);
  });
  test("partial: 0.5 state, 0.25 outputs, 0.25 policy", () => {
    expect(REWARD_FORMS.partial({ state: 1, outputs: 0.5, policy: 0 })).toBe(0.625); // 0.5 + 0.125
    expect(REWARD_FORMS.partial({ state: 0, outputs: 1, policy: 1 })).toBe(0.5);
    expect(REWARD_FORMS.partial({ state: 1, outputs: 1, policy: 1 })).toBe(1);
  });
});
