import { expect, test } from "vitest";
import { sampleTrajectory, totals } from "../../../../test/support/reward.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { outcome } from "./outcome.ts";

const batch = [
  sampleTrajectory("won", { reward: scored(10), success: true }),
  sampleTrajectory("lost", { reward: scored(2), success: false, ending: "truncated" }),
  sampleTrajectory("broken", {
    reward: scored(3),
    success: null,
    ending: "failed",
    failure: { code: "x", message: "no disk" },
  }),
];

test("the world's reward, scaled; a lost episode is unscored and not what it had", () => {
  expect(totals(outcome, batch, { scale: 0.1 })).toEqual([1, 0.2, "unscored: the episode was lost: no disk"]);
});

test("the flag instead of the number", () => {
  expect(totals(outcome, batch, { from: "success" }).slice(0, 2)).toEqual([1, 0]);
  expect(totals(outcome, [sampleTrajectory("open", { success: null })], { from: "success" })).toEqual([
    "unscored: its outcome is not known",
  ]);
});

test("what was cut off keeps what it earned, gets 0 or no score", () => {
  const at = (truncated: string) => totals(outcome, batch, { truncated })[1];
  expect([at("keep"), at("zero"), at("unscored")]).toEqual([2, 0, "unscored: the episode was cut off"]);
});

test("unscored stays unscored, with its reason", () => {
  expect(totals(outcome, [sampleTrajectory("a", { reward: unscored("the judge slept") })])).toEqual([
    "unscored: the judge slept",
  ]);
});
