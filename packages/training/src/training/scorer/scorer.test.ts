import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { scorerObjective } from "./losses.ts";
import { areaAtEqualDepth, areaUnderCurve, bestOf, calibration, fitPlatt, pairedDifference } from "./measures.ts";
import { pairedRows, scorerRows, type ScorerRow } from "./rows.ts";

const stream = (length: number) => ({ ids: Int32Array.from({ length }, (_, at) => at), mask: new Uint8Array(length) });

function episode(id: string, success: boolean | null, group = "g"): Trajectory {
  const steps = [
    sampleStep(0, { span: { stream: 0, start: 1, end: 3 } }),
    sampleStep(1, { span: { stream: 0, start: 4, end: 6 } }),
  ];
  return sampleTrajectory(id, {
    steps,
    streams: [stream(8)],
    success,
    group,
    rewards: [{ name: "right", source: "s", score: scored(0.5), step: 1 }],
  });
}

test("the outcome is asked before and after every own token; who is not labelled gives nothing", () => {
  const [row] = scorerRows(episode("a", true));
  // Tokens after the last action are left out; one more is there to ask after it.
  expect([...(row as ScorerRow).ids]).toEqual([0, 1, 2, 3, 4, 5, 0]);
  expect([...(row as ScorerRow).mask]).toEqual([0, 1, 1, 1, 1, 1, 1]);
  expect(row?.places).toEqual([
    { step: 0, before: 1, after: 3 },
    { step: 1, before: 4, after: 6 },
  ]);
  expect([...(row as ScorerRow).returns]).toEqual([0, 1, 1, 1, 1, 1, 1]);
  expect(scorerRows(episode("a", null))).toEqual([]);
  // Only the second step has a reward of this name, and it is asked after it.
  const [named] = scorerRows(episode("a", null), "right");
  expect(named?.places).toEqual([{ step: 1, before: 4, after: 6 }]);
  expect([...(named as ScorerRow).mask]).toEqual([0, 0, 0, 0, 0, 0, 1]);
  expect(named?.returns[6]).toBe(0.5);
});

test("pairs of a group: a success above a failure, each once", () => {
  const rows = [true, true, false].flatMap((success, at) => scorerRows(episode(`e${at}`, success)));
  expect(pairedRows(rows).map(({ trajectory, rank }) => [trajectory, rank])).toEqual([
    ["e0", 1],
    ["e2", 0],
  ]);
  expect(pairedRows(rows.slice(0, 2))).toEqual([]);
});

test("losses by hand", () => {
  const sparse = (id: string, success: boolean): ScorerRow[] =>
    scorerRows(episode(id, success)).map((row) => ({ ...row, mask: Uint8Array.from([0, 0, 0, 1, 0, 0, 1]) }));
  const rows = [...sparse("a", true), ...sparse("b", false)];
  const quality = rows.map(() => new Float64Array(7));
  (quality[0] as Float64Array)[6] = 2;
  // z = 0: log 2 and slope +-0.5; z = 2, y = 1: log(1 + e^2) - 2 = 0.126928, slope sigmoid(2) - 1 = -0.119203.
  const bce = scorerObjective("bce").compute({ quality }, {}, rows);
  expect(bce.loss).toBeCloseTo((0.693147 + 0.126928 + 0.693147 + 0.693147) / 4, 5);
  expect(bce.weights.quality?.[0]?.[3]).toBeCloseTo(-0.125, 12);
  expect(bce.weights.quality?.[0]?.[6]).toBeCloseTo(-0.119203 / 4, 6);
  expect(bce.weights.quality?.[1]?.[6]).toBeCloseTo(0.125, 12);
  // (0.5 - 1)^2 + (0.880797 - 1)^2 + 2 * 0.25, over 4.
  expect(scorerObjective("mse").compute({ quality }, {}, rows).loss).toBeCloseTo((0.25 + 0.0142093 + 0.5) / 4, 6);
  const pairs = scorerObjective("pairs").compute({ quality }, {}, pairedRows(rows));
  // Difference 2: log(1 + e^-2) = 0.126928; slopes -+ sigmoid(-2) = 0.119203.
  expect(pairs.loss).toBeCloseTo(0.126928, 6);
  expect(
    [pairs.weights.quality?.[0]?.[6], pairs.weights.quality?.[1]?.[6]].map((value) => Number(value?.toFixed(6))),
  ).toEqual([-0.119203, 0.119203]);
});

test("the area under the curve, by hand: of four pairs three are in order, and ties count half", () => {
  expect(areaUnderCurve([0.1, 0.4, 0.3, 0.8], [0, 0, 1, 1])).toBe(0.75);
  expect(areaUnderCurve([1, 1], [0, 1])).toBe(0.5);
  expect(areaUnderCurve([1, 2], [1, 1])).toBeNaN();
});

test("at equal depth: long ones that fail are no sign of seeing", () => {
  // Depth 0: 0.5 of the good one against 0.5 and 0.4: 1.5 of 2 pairs. Deeper there are bad ones alone.
  expect(areaAtEqualDepth([[0.5], [0.5, 0.2, 0.1], [0.4, 0.1]], [1, 0, 0])).toBe(0.75);
  expect(areaAtEqualDepth([[], []], [1, 0])).toBeNaN();
});

test("calibration by hand: two bins, each 0.1 away", () => {
  const { error, bins } = calibration([0.1, 0.3, 0.7, 0.9], [0, 0.2, 1, 0.8], 2);
  expect(error).toBeCloseTo(0.1, 12);
  expect(bins.map(({ count }) => count)).toEqual([2, 2]);
});

test("a fit makes chances that are as often right as they say", () => {
  // Outputs twice as sure as they should be: at z = 2 sixty of a hundred are good, at -2 forty.
  const outputs = Array.from({ length: 200 }, (_, at) => (at < 100 ? 2 : -2));
  const labels = outputs.map((z, at) => Number(at % 100 < (z > 0 ? 60 : 40)));
  const { slope, shift } = fitPlatt(outputs, labels);
  // log(0.6 / 0.4) / 2 = 0.202733.
  expect(slope).toBeCloseTo(0.2027, 2);
  expect(shift).toBeCloseTo(0, 6);
});

test("best of n, by hand", () => {
  const one = (success: number, score: number) => ({ group: "g", success, score });
  const group = [one(1, 3), one(0, 2), one(1, 1)];
  // Of two drawn: {3,2} 1, {3,1} 1, {2,1} 0: 2/3. Of one: 2/3. Of three: the best one succeeds.
  expect([1, 2, 3].map((n) => Number(bestOf(group, n).get("g")?.toFixed(9)))).toEqual([0.666666667, 0.666666667, 1]);
  // All equal is chance.
  expect(
    bestOf(
      group.map((own) => ({ ...own, score: 0 })),
      2,
    ).get("g"),
  ).toBeCloseTo(2 / 3, 12);
  expect(bestOf(group, 4).size).toBe(0);
  expect(
    pairedDifference(
      new Map([
        ["a", 1],
        ["b", 0.5],
      ]),
      new Map([
        ["a", 0.5],
        ["b", 0],
      ]),
    ).mean,
  ).toBe(0.5);
});
