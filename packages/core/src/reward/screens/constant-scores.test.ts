import { expect, test } from "vitest";
import { sampleTrajectory, withActions } from "../../../../../test/support/reward.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { screenRewards } from "./index.ts";

/** A group with these rewards; the first trajectory succeeded, the others failed. */
const group = (id: string, rewards: readonly number[], more: Partial<Trajectory> = {}): Trajectory[] =>
  rewards.map((value, at) =>
    sampleTrajectory(`${id}/${at}`, { group: id, reward: scored(value), success: at === 0, ...more }),
  );
const look = (trajectories: readonly Trajectory[], options = {}) =>
  screenRewards({ trajectories }, { "constant-scores": options }).filter(({ screen }) => screen === "constant-scores");

test("blind groups are found and named", () => {
  const batch = [...group("a", [7, 7, 7]), ...group("b", [7, 7]), ...group("c", [2, 2])];
  const [finding] = look(batch);
  expect(finding).toMatchObject({ severity: "warn", evidence: { name: "reward", groups: 3, blind: ["a", "b", "c"] } });
  expect(look(batch, { severity: "stop" })[0]?.severity).toBe("stop");
});

test("groups that all failed or all won may well be constant", () => {
  const lost = ["a", "b", "c", "d"].flatMap((id) => group(id, [0, 0, 0], { success: false }));
  expect(look(lost)).toEqual([]);
  expect(look([...group("a", [1, 0]), ...group("b", [1, 0]), ...group("c", [5, 5])])).toEqual([]);
});

test("fewer groups than minGroups, one trajectory, and none", () => {
  expect(look([...group("a", [7, 7]), ...group("b", [7, 7])])).toEqual([]);
  expect(look(group("a", [7]), { minGroups: 1 })).toEqual([]);
  expect(look([])).toEqual([]);
});

test("one number for a whole batch of successes and failures, whatever their groups", () => {
  const ends = (success: boolean, value: number) =>
    ["a", "b", "c"].map((id) =>
      sampleTrajectory(`${id}${success}`, { group: `${id}${success}`, success, reward: scored(value) }),
    );
  expect(look([...ends(true, 5), ...ends(false, 5)])[0]?.evidence).toMatchObject({
    value: 5,
    successes: 3,
    failures: 3,
  });
  expect(look([...ends(true, 5), ...ends(false, 4)])).toEqual([]);
  expect(look([...ends(true, 5), ...ends(false, 5)].slice(1))).toEqual([]);
});

test("where nobody knows who succeeded, one number for all is a sign", () => {
  const silent = (value: (at: number) => number) =>
    ["a", "b", "c"].flatMap((id) =>
      [0, 1].map((at) =>
        withActions(`${id}/${at}`, [`do ${at}`], { group: id, success: null, reward: scored(value(at)) }),
      ),
    );
  expect(look(silent(() => 5))[0]?.evidence).toMatchObject({ groups: 3, value: 5 });
  expect(look(silent((at) => at))).toEqual([]);
});

test("a judge's own reward is looked at beside the total", () => {
  const judged = (trajectory: Trajectory): Trajectory => ({
    ...trajectory,
    rewards: [{ name: "judge", source: "reward:rubric-judge", score: scored(0.7) }],
  });
  const batch = ["a", "b", "c"].flatMap((id) => group(id, [1, 0])).map(judged);
  expect(look(batch).map(({ evidence }) => evidence["name"])).toEqual(["judge"]);
});
