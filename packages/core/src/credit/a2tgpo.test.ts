import { expect, test } from "vitest";
import { assign, episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { a2tgpo } from "./a2tgpo.ts";
import { assignCredit } from "./assign.ts";
import { batchFromJson, resultToJson } from "./batch-json.ts";

const turn = (before: number, after: number) => ({
  signals: { answerLogprob: { before: Math.log(before), after: Math.log(after) } },
});
/** What the answer turn itself adds is not counted. */
const answer = turn(0.4, 0.9);
const batch = episodes({
  X: { outcome: 1, steps: [turn(0.1, 0.4), turn(0.4, 0.4), answer] },
  Y: { outcome: 0, steps: [turn(0.1, 0.2), turn(0.2, 0.4), answer] },
});
const information = (options = {}) => Array.from(assign(a2tgpo, batch, options).terms["information"]!.perRow!, round);

test("gains by turn, summed over what is left", () => {
  // Turn 0: 0.3 and 0.1, turn 1: 0 and 0.2; std 0.141421, 0.1 / 0.141422 = 0.707102 each way.
  // Sums of opposite signs cancel: 0 / sqrt(2). Second turns +- 0.707102 / 1; answer turns have none.
  expect(information()).toEqual([0, -0.707102, 0, 0, 0.707102, 0]);
  // gamma 0.9: (0.707102 - 0.9 * 0.707102) / sqrt(2) = 0.050000.
  expect(information({ gamma: 0.9 })).toEqual([0.05, -0.707102, 0, -0.05, 0.707102, 0]);
});

test("added to the outcome", () => {
  // +- 0.707106, and the answer turn has the outcome alone.
  const found = rowAdvantages(a2tgpo, batch);
  for (const [at, expected] of [0.707106, 0.000004, 0.707106, -0.707106, -0.000004, -0.707106].entries()) {
    expect(found[at]).toBeCloseTo(expected, 5);
  }
});

test("the clip range follows the gain", () => {
  // tanh(0.707102) = 0.608858; 0.2 * (1 + 0.5 * 0.608858) = 0.260886, 0.2 * (1 - 0.304429) = 0.139114.
  const { clipScales } = assign(a2tgpo, batch);
  const ranges = Array.from(clipScales!, (scale) => round(0.2 * scale));
  expect(ranges).toEqual([0.260886, 0.139114, 0.2, 0.139114, 0.260886, 0.2]);
  const given = batchFromJson(batch);
  const json = resultToJson("a2tgpo", given, assignCredit(a2tgpo, given));
  expect(json["clipScales"]).toEqual([...clipScales!]);
});

test("equal gains, and turns without peers, are 0", () => {
  const uneven = episodes({
    X: { outcome: 1, steps: [turn(0.1, 0.4), turn(0.4, 0.5), answer] },
    Y: { outcome: 0, steps: [turn(0.1, 0.4), answer] },
  });
  const { terms } = assign(a2tgpo, uneven);
  expect([...terms["information"]!.perRow!]).toEqual([0, 0, 0, 0, 0]);
});

test("the information part has the same variance at every depth", () => {
  // Eight trajectories: every way in which three turns gain 0.2 or nothing, so that turns are independent, exactly.
  const ways = [0, 1, 2, 3, 4, 5, 6, 7].map((number) => [0, 1, 2].map((place) => (number >> place) & 1));
  const steps = (gains: readonly number[]) => {
    let known = 0.1;
    const turns = gains.map((gain) => {
      const before = known;
      known += 0.2 * gain;
      return turn(before, known);
    });
    return [...turns, answer];
  };
  const every = episodes(Object.fromEntries(ways.map((gains, at) => [`t${at}`, { outcome: 0, steps: steps(gains) }])));
  const { perRow } = assign(a2tgpo, every).terms["information"]!;
  const varianceAt = (depth: number): number => {
    const own = ways.map((_, at) => perRow![4 * at + depth]!);
    return own.reduce((sum, value) => sum + value ** 2, 0) / own.length;
  };
  // Of eight gains, half of them 0.2: distances 0.1, std 0.1 * sqrt(8 / 7) = 0.106904, z = 0.935406, z^2 = 0.874984.
  // Three turns are left, then two, then one: 3 z^2 / 3, 2 z^2 / 2, z^2.
  for (const depth of [0, 1, 2]) expect(varianceAt(depth)).toBeCloseTo(0.874984, 5);
});
