import { expect, test } from "vitest";
import { assign, episodes, round, rowAdvantages } from "../../test/support/credit.ts";
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
