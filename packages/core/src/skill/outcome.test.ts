import { expect, test } from "vitest";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { labelOutcome, shouldAnalyse } from "./outcome.ts";

test("the label is success, failure or unknown", () => {
  expect([true, false, null].map((success) => labelOutcome({ success }))).toEqual(["success", "failure", "unknown"]);
});

test.each([
  [true, scored(0), true, false],
  [false, scored(5), true, true],
  [true, scored(1), false, true],
  // Nobody said: by the reward, at the threshold a success.
  [null, scored(1), true, false],
  [null, scored(0.99), true, true],
  // Nothing is known: analyse.
  [null, unscored("lost"), true, true],
])("success %j, reward %j, failed only %j: analysed %j", (success, reward, failedOnly, expected) => {
  expect(shouldAnalyse({ success, reward }, { failedOnly })).toBe(expected);
});

test("the threshold can be told", () => {
  expect(shouldAnalyse({ success: null, reward: scored(7) }, { failedOnly: true, successThreshold: 10 })).toBe(true);
  expect(shouldAnalyse({ success: true, reward: scored(1) })).toBe(true);
});
