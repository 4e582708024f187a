import { expect, test } from "vitest";
import { corridorEpisodes } from "../../../../test/support/recipe-bench.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import { gatedEpisodes, hopelessGroups, rescueGroups } from "./quality-gate.ts";

const [model] = await corridorEpisodes("one");
const episode = (id: string, group: string, reward: number | Score): Trajectory => ({
  ...(model as Trajectory),
  id,
  group,
  reward: typeof reward === "number" ? scored(reward) : reward,
});
const group = (name: string, rewards: readonly (number | Score)[]): Trajectory[] =>
  rewards.map((reward, at) => episode(`${name}${at}`, name, reward));

test("the worked gate: rewards 1, 0, 1, 0 and divergences 0.2, 0.9, 0.4, 0.8 give 0.3", () => {
  const episodes = group("a", [1, 0, 1, 0]);
  const open = gatedEpisodes(episodes, 1);
  const divergences = [0.2, 0.9, 0.4, 0.8].filter((_, at) => open.has(episodes[at]?.id ?? ""));
  // (0.2 + 0.4) / max(1, 2)
  expect(divergences.reduce((sum, one) => sum + one, 0) / Math.max(1, divergences.length)).toBeCloseTo(0.3, 12);
  expect([...gatedEpisodes(group("a", [0, 0.5]), 1)]).toEqual([]);
});

test("only groups without any reward are hopeless, and only what is known counts", () => {
  const episodes = [...group("a", [0, 0]), ...group("b", [0, 1]), ...group("c", [0, unscored("lost")])];
  expect(hopelessGroups(episodes).map(({ id }) => id)).toEqual(["a"]);
});

test("hinted successes take the place of failures, two at most; a group that no hint helps is dropped", () => {
  const episodes = [...group("a", [0, 0, 0]), ...group("b", [0, 1]), ...group("c", [0, 0])];
  const hinted = [
    ...["h0", "h1", "h2", "h3"].map((id, at) => episode(id, "a", at === 0 ? 0 : 1)),
    episode("h4", "b", 1),
    episode("h5", "c", 0),
  ];
  const rescued = rescueGroups(episodes, hinted, 2);
  expect(rescued.episodes.map(({ id }) => id)).toEqual(["a0", "h1", "h2", "b0", "b1"]);
  expect(rescued.inserted).toEqual(["h1", "h2"]);
  expect(rescued.dropped).toEqual(["c"]);
});
