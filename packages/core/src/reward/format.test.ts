import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, stepTotals, totals, withActions } from "../../../../test/support/reward.ts";
import { format } from "./format.ts";

const good = "<think>where?</think>\n<action>look</action>";

test("share of steps in form", () => {
  const texts = [good, "look", " <think></think><action>a</action> ", "<action>a</action><think>b</think>"];
  // In form: the first and the third.
  expect(totals(format, [withActions("a", texts)])).toEqual([0.5]);
  expect(stepTotals(format, [withActions("a", texts)])).toEqual([[1, 0, 1, 0]]);
  expect(totals(format, [withActions("a", texts), withActions("b", [good])], { everyStep: true })).toEqual([0, 1]);
});

test("nothing may stand beside or inside", () => {
  const texts = [
    `${good} and more`,
    `so ${good}`,
    `<think>a<action>b</action></think><action>c</action>`,
    `${good}${good}`,
  ];
  expect(stepTotals(format, [withActions("a", texts)])).toEqual([[0, 0, 0, 0]]);
});

test("the reply counts where there is one, and validity is a part of its own", () => {
  const steps = [
    sampleStep(0, { action: "look", reply: { role: "assistant", content: good } }),
    sampleStep(1, { action: good, valid: false }),
  ];
  const batch = [sampleTrajectory("a", { steps })];
  expect(totals(format, batch)).toEqual([1]);
  expect(totals(format, batch, {}, { part: "valid" })).toEqual([0.5]);
  expect(totals(format, batch, { tags: [] })).toEqual([0.5]);
});

test("no steps, and a tag that is no word", () => {
  expect(totals(format, [withActions("a", [])])).toEqual(["unscored: it has no steps"]);
  expect(() => totals(format, [], { tags: ["a b"] })).toThrow('tags.0 of format is "a b"; it takes a word');
});
