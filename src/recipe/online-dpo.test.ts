import { expect, test } from "vitest";
import { recipeContract } from "../../test/support/recipe-contract.ts";
import type { TrainRow } from "../policy/index.ts";
import type { Trajectory } from "../trajectory/index.ts";
import { pairedRows } from "./online-dpo.ts";

recipeContract("online-dpo");

test("the best is paired with the worst; equal rewards and what nobody scored are left out", () => {
  const episode = (id: string, value: number | undefined): Trajectory => ({
    id,
    task: { id: "t", env: "e", seed: 0, goal: "", split: "train" },
    group: "g",
    steps: [],
    streams: [],
    ending: "terminated",
    reward: value === undefined ? { kind: "unscored", why: "lost" } : { kind: "scored", value },
    success: null,
    rewards: [],
    policy: { name: "p" },
  });
  const episodes = [episode("a", 1), episode("b", 0), episode("c", undefined), episode("d", 0.5), episode("e", 0.5)];
  const rows = episodes.map(({ id }): TrainRow => ({
    ids: Int32Array.of(1, 2),
    mask: Uint8Array.of(0, 1),
    trajectory: id,
  }));
  // Sorted: a 1, d 0.5, e 0.5, b 0. Pairs: a with b; d with e earned the same.
  expect(pairedRows(rows, episodes).map(({ trajectory, pair, rank }) => [trajectory, pair, rank])).toEqual([
    ["a", "g 0", 1],
    ["b", "g 0", 0],
  ]);
});
