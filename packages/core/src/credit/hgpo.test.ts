import { expect, test } from "vitest";
import { assign, episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { gigpo } from "./gigpo.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { hgpo } from "./hgpo.ts";

const batch = episodes({
  X: {
    outcome: 1,
    steps: [
      { state: "a", reward: 0 },
      { state: "b", reward: 1 },
    ],
  },
  Y: {
    outcome: 0,
    steps: [
      { state: "a", reward: 0 },
      { state: "b", reward: 0 },
    ],
  },
  Z: {
    outcome: 0.5,
    steps: [
      { state: "c", reward: 0 },
      { state: "b", reward: 0.5 },
    ],
  },
});

test("a longer shared history weighs more", () => {
  // In b: G = 1, 0, 0.5, mean 0.5, population std 0.408248; a_1 = 1.224742, -1.224742, 0.
  // Behind a: G = 1, 0, std 0.5; a_2 = 0.999998, -0.999998. (2 * 1.224742 + 3 * 0.999998) / 5 = 1.089895.
  const found = rowAdvantages(hgpo, batch);
  expect(found[1]).toBeCloseTo(1.089895, 5);
  expect(found[3]).toBeCloseTo(-1.089895, 5);
  // Z is at the mean in b and alone behind c.
  expect([found[4], found[5]]).toEqual([0, 0]);
});

test("levels are visible", () => {
  const { terms } = assign(hgpo, batch);
  expect(Object.keys(terms)).toEqual(["level1", "level2", "level3"]);
  // 2 * 1.224742 / 5 = 0.489897 and 3 * 0.999998 / 5 = 0.599999.
  expect([terms["level1"]!.perRow![1]!, terms["level2"]!.perRow![1]!].map(round)).toEqual([0.489897, 0.599999]);
});

test("alpha, centring, and less history", () => {
  // alpha 0: (1.224742 + 0.999998) / 2 = 1.112370.
  expect(rowAdvantages(hgpo, batch, { alpha: 0 })[1]).toBeCloseTo(1.11237, 5);
  // mean_norm: 0.5 at both levels.
  expect(rowAdvantages(hgpo, batch, { mode: "mean_norm" })[1]).toBeCloseTo(0.5, 5);
  expect(rowAdvantages(hgpo, batch, { history: 0 })[1]).toBeCloseTo(1.224742, 5);
  // Unbiased: 0.5 / 0.500001 = 0.999998 at level 1, 0.5 / 0.707108 = 0.707106 at level 2; (2 * 0.999998 + 3 * 0.707106) / 5.
  expect(rowAdvantages(hgpo, batch, { deviation: "unbiased" })[1]).toBeCloseTo(0.824263, 5);
});

test("a unique state gets nothing, unless the base group is a level", () => {
  const alone = episodes({
    X: { outcome: 1, steps: [{ state: "a", reward: 1 }] },
    Y: { outcome: 0, steps: [{ state: "b", reward: 0 }] },
  });
  expect(rowAdvantages(hgpo, alone)).toEqual([0, 0]);
  expect(assign(hgpo, alone).metrics["rowsWithoutSignal"]).toBe(2);
  // Level 0 weighs 1: 0.5 / 0.707108 = 0.707106, over 1.000001.
  expect(rowAdvantages(hgpo, alone, { baseGroup: true })[0]).toBeCloseTo(0.707106, 5);
});

test("a row at the mean is left out even where the mean rounds", () => {
  const returns = [0.1, 0.2, 0.3].map((reward, at) => [`t${at}`, { outcome: 0, steps: [{ state: "s", reward }] }]);
  expect(rowAdvantages(hgpo, episodes(Object.fromEntries(returns)))[1]).toBe(0);
});

test("a branch's history goes on through its parent", () => {
  const parent = { trajectory: "X", step: 1 };
  const rows = [
    { trajectory: "X", step: 0, state: "a", reward: 0 },
    { trajectory: "X", step: 1, state: "b", reward: 1 },
    { trajectory: "B", step: 1, state: "b", reward: 0, parent },
    { trajectory: "C", step: 0, state: "b", reward: 0.25 },
  ].map((row) => ({ task: "t", mask: [1], ...row }));
  const outcomes = { X: { outcome: 1 }, B: { outcome: 0 }, C: { outcome: 0 } };
  const { terms } = assign(hgpo, { rows, trajectories: outcomes }, { mode: "mean_norm" });
  // Level 2 (a, b) holds X and the branch, not C: 0.5 and -0.5, times 3 / 5.
  expect(Array.from(terms["level2"]!.perRow!, round)).toEqual([0, 0.3, -0.3, 0]);
});

test("a row at the mean of its base group is left out of it, whatever the order of the sum", () => {
  // 0.1 + 0.2 + 0.3 is a little more than 0.6, 0.3 + 0.2 + 0.1 is not: the middle one may be off its mean by 3e-17.
  const of = (outcomes: readonly number[]) =>
    episodes(
      Object.fromEntries(
        outcomes.map((outcome) => [`${outcome}`, { outcome, steps: [{ state: `s${outcome}`, reward: outcome }] }]),
      ),
    );
  for (const outcomes of [
    [0.1, 0.2, 0.3],
    [0.3, 0.2, 0.1],
  ]) {
    const { terms, metrics } = assign(hgpo, of(outcomes), { baseGroup: true });
    // Each state was visited once, so no level speaks, and only the base group is left.
    expect([terms["base"]?.perRow?.[1], metrics["rowsWithoutSignal"]]).toEqual([0, 1]);
  }
});

/** A hall that looks the same whichever room one came from, and is worth more from the left one. */
const WORTH = { left: { open: 1, wait: 0.8 }, right: { open: 0.2, wait: 0 } } as const;
const ways = (["left", "right"] as const).flatMap((room) =>
  (["open", "wait"] as const).map((action) => ({ room, action, worth: WORTH[room][action] })),
);
/** Every way once, which is how often a policy that chooses evenly takes each. */
const houses = episodes(
  Object.fromEntries(
    ways.map(({ room, action, worth }) => [
      `${room} ${action}`,
      {
        outcome: worth,
        steps: [
          { state: "door", reward: 0 },
          { state: room, reward: 0 },
          { state: "hall", reward: worth },
        ],
      },
    ]),
  ),
);
/** Q - V where all that has happened counts: opening is worth 0.1 more than the mean of both actions, in either case. */
const inHall = ways.map(({ action }) => (action === "open" ? 0.1 : -0.1));
/** Mean distance from that, of the third step of each way. */
const errorOf = (values: readonly number[]): number =>
  inHall.reduce((sum, exact, at) => sum + Math.abs(values[3 * at + 2]! - exact), 0) / inHall.length;

test("where a state's worth depends on the way to it, hgpo is nearer to the true Q than gigpo", () => {
  const centred = { mode: "mean_norm", gamma: 1 };
  const longer = rowAdvantages(hgpo, houses, centred);
  // GiGPO compares all four in the hall, mean 0.5: 0.5, 0.3, -0.3, -0.5, so distances of 0.4; its whole advantage has the
  // same once more from the episodes. HGPO: (2 * 0.5 + 3 * 0.1 + 4 * 0.1) / 9 = 0.188889 for the first, 0.088889 off; for
  // the second (2 * 0.3 - 3 * 0.1 - 4 * 0.1) / 9 = -0.011111, also 0.088889 off.
  const step = Array.from(assign(gigpo, houses, centred).terms["step"]!.perRow!);
  expect([errorOf(longer), errorOf(step)].map(round)).toEqual([0.088889, 0.4]);
  expect(errorOf(rowAdvantages(gigpo, houses, centred))).toBeGreaterThan(0.4);
  // The more a longer history weighs, the nearer.
  expect(errorOf(rowAdvantages(hgpo, houses, { ...centred, alpha: 4 }))).toBeLessThan(0.03);
});

publishedCredit("hgpo", hgpo);
