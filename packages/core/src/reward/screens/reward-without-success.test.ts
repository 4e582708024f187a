import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../../test/support/reward.ts";
import { createRng } from "limbeck-base/base/rng";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { screenRewards } from "./index.ts";
import { summariseUpdate, type UpdateSummary } from "./history.ts";

const history = (length: number, reward: (at: number) => number, success: (at: number) => number): UpdateSummary[] =>
  Array.from({ length }, (_, update) => ({ update, meanReward: reward(update), successRate: success(update) }));
const look = (lines: readonly UpdateSummary[], options = {}) =>
  screenRewards({ trajectories: [], history: lines }, { "reward-without-success": options });

test("reward up, success flat", () => {
  const [finding] = look(
    history(
      10,
      (at) => 1 + 0.1 * at,
      () => 0.5,
    ),
  );
  // A straight line from 1 to 1.9.
  expect(finding?.message).toContain(
    "From update 0 to 9 the mean reward rose by 0.900 while the success rate changed by 0.000",
  );
  expect(
    look(
      history(
        10,
        (at) => 1 + 0.1 * at,
        (at) => 0.5 - 0.01 * at,
      ),
    ),
  ).toHaveLength(1);
});

test("both up, reward flat, few updates, and success near its ceiling", () => {
  expect(
    look(
      history(
        10,
        (at) => 1 + 0.1 * at,
        (at) => 0.2 + 0.05 * at,
      ),
    ),
  ).toEqual([]);
  expect(
    look(
      history(
        10,
        () => 1,
        () => 0.5,
      ),
    ),
  ).toEqual([]);
  expect(
    look(
      history(
        7,
        (at) => at,
        () => 0.5,
      ),
    ),
  ).toEqual([]);
  expect(
    look(
      history(
        10,
        (at) => 1 + 0.1 * at,
        () => 0.98,
      ),
    ),
  ).toEqual([]);
  expect(
    look(
      history(
        10,
        (at) => 1 + 0.001 * at,
        () => 0.5,
      ),
    ),
  ).toEqual([]);
});

test("noise without a trend stays quiet; a trend in noise does not hide", () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const rng = createRng(seed);
    expect(
      look(
        history(
          20,
          () => 0.5 + 0.05 * rng.normal(),
          () => 0.5 + 0.05 * rng.normal(),
        ),
      ),
    ).toEqual([]);
    const noisy = history(
      20,
      (at) => 0.5 + 0.03 * at + 0.05 * rng.normal(),
      (at) => 0.5 - 0.02 * at + 0.02 * rng.normal(),
    );
    expect(look(noisy)).toHaveLength(1);
  }
});

test("a summary counts what is known", () => {
  const batch = [
    sampleTrajectory("a", { reward: scored(1), success: true }),
    sampleTrajectory("b", { reward: scored(0), success: null }),
    sampleTrajectory("c", { reward: unscored("lost"), success: false }),
  ];
  expect(summariseUpdate(3, batch)).toEqual({ update: 3, meanReward: 0.5, successRate: 0.5 });
  expect(summariseUpdate(4, [])).toEqual({ update: 4, meanReward: null, successRate: null });
  expect(look(Array.from({ length: 9 }, (_, at) => summariseUpdate(at, [])))).toEqual([]);
});
