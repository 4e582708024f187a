import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../test/support/samples.ts";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { giveRewards } from "./give-rewards.ts";
import { majority } from "./majority.ts";

const said = (id: string, action: string, more: Partial<Trajectory> = {}): Trajectory =>
  sampleTrajectory(id, { steps: [sampleStep(0, { action })], group: "a", ...more });

const values = (batch: readonly Trajectory[], name = "majority") =>
  giveRewards(majority, batch).rewards.map((own) => {
    const found = own.find((one) => one.name === name);
    return found === undefined ? undefined : scoreValue(found.score);
  });

test("two of three that ended say the same: they are right, the third and the one that was cut are not", () => {
  const batch = [
    said("1", "<answer>7</answer>"),
    said("2", "<ANSWER> 7</answer>".replace(" ", "")),
    said("3", "<answer>8</answer>"),
  ];
  const cut = said("4", "<answer>7</answer>", { ending: "truncated" });
  expect(values([...batch, cut])).toEqual([1, 1, 0, 0]);
  expect(values([...batch, cut], "majority.share")).toEqual([2 / 3, 2 / 3, 2 / 3, 2 / 3]);
});

test("a tie, or a single vote, scores nothing; groups vote apart", () => {
  expect(values([said("1", "x"), said("2", "y")])).toEqual([undefined, undefined]);
  expect(values([said("1", "x")])).toEqual([undefined]);
  const apart = [said("1", "x"), said("2", "x"), said("3", "y", { group: "b" }), said("4", "y", { group: "b" })];
  expect(values(apart)).toEqual([1, 1, 1, 1]);
});

test("the world's verdict is never read", () => {
  const batch = [said("1", "x", { success: false }), said("2", "x", { success: false }), said("3", "y")];
  expect(values(batch)).toEqual([1, 1, 0]);
});
