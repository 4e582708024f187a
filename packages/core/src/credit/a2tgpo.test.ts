import { expect, test } from "vitest";
import { assign, episodes, round, rowAdvantages, together } from "../../../../test/support/credit.ts";
import { published } from "../../../../test/support/published.ts";
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
  // Turn 0: 0.3 and 0.1, turn 1: 0 and 0.2; std over n 0.1, 0.1 / 0.100001 = 0.99999 each way.
  // Sums of opposite signs cancel: 0 / sqrt(2). Second turns +- 0.99999 / 1; answer turns have none.
  expect(information()).toEqual([0, -0.99999, 0, 0, 0.99999, 0]);
  // gamma 0.9: (0.99999 - 0.9 * 0.99999) / sqrt(2) = 0.070710.
  expect(information({ gamma: 0.9 })).toEqual([0.07071, -0.99999, 0, -0.07071, 0.99999, 0]);
  // Over n - 1: std 0.141421.
  expect(information({ deviation: "unbiased" })).toEqual([0, -0.707102, 0, 0, 0.707102, 0]);
});

test("added to the outcome", () => {
  // +- 0.999998, 0.3 * 0.99999 = 0.299997; the answer turn has the outcome alone.
  const found = rowAdvantages(a2tgpo, batch);
  for (const [at, expected] of [0.999998, 0.700001, 0.999998, -0.999998, -0.700001, -0.999998].entries()) {
    expect(found[at]).toBeCloseTo(expected, 5);
  }
});

test("the clip range follows the gain", () => {
  // 2 * sigmoid(0.99999) - 1 = 0.462113; 0.2 * (1 + 0.3 * 0.462113) = 0.227727, 0.2 * (1 - 0.138634) = 0.172273.
  const { clipScales } = assign(a2tgpo, batch);
  const ranges = Array.from(clipScales!, (scale) => round(0.2 * scale));
  expect(ranges).toEqual([0.227727, 0.172273, 0.2, 0.172273, 0.227727, 0.2]);
  const given = batchFromJson(batch);
  const json = resultToJson("a2tgpo", given, assignCredit(a2tgpo, given));
  expect(json["clipScales"]).toEqual([...clipScales!]);
});

interface A2tgpoCase {
  readonly gamma: number;
  readonly tasks: readonly number[];
  /** Of the reference answer, before the first turn and after each; the answer follows. */
  readonly probabilities: readonly (readonly number[])[];
  readonly outcomes: readonly number[];
  readonly advantages: readonly number[];
  readonly clipScales: readonly number[];
}

test("advantages and clip scales are those of the published code", () => {
  const { cases } = published<A2tgpoCase>("a2tgpo");
  expect(cases.length).toBeGreaterThan(10);
  for (const { gamma, tasks, probabilities, outcomes, advantages, clipScales } of cases) {
    const parts = probabilities.map((known, at) => {
      const turns = known.slice(1).map((after, place) => turn(known[place] as number, after));
      return episodes(
        { [`t${at}`]: { outcome: outcomes[at] as number, steps: [...turns, answer] } },
        `task ${tasks[at]}`,
      );
    });
    const found = assign(a2tgpo, together(...parts), { gamma });
    const flat = found.advantages.map(([first]) => first as number);
    expect(flat).toHaveLength(advantages.length);
    for (const [at, value] of flat.entries()) {
      expect(value).toBeCloseTo(advantages[at] as number, 5);
      expect(found.clipScales?.[at]).toBeCloseTo(clipScales[at] as number, 5);
    }
  }
});

test("the clip factor over the normalised gain", () => {
  // 1 + 0.3 * (2 * sigmoid(z) - 1) for z -1, 1 and, of three gains, 0.
  const three = episodes({
    X: { outcome: 0, steps: [turn(0.1, 0.2), answer] },
    Y: { outcome: 0, steps: [turn(0.1, 0.3), answer] },
    Z: { outcome: 0, steps: [turn(0.1, 0.4), answer] },
  });
  const { clipScales } = assign(a2tgpo, three, { deviation: "unbiased" });
  expect(Array.from(clipScales!, (scale) => Number(scale.toFixed(3)))).toEqual([0.861, 1, 1, 1, 1.139, 1]);
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
  // Of eight gains, half of them 0.2: distances 0.1, std 0.1, z = 0.99999, z^2 = 0.99998.
  // Three turns are left, then two, then one: 3 z^2 / 3, 2 z^2 / 2, z^2.
  for (const depth of [0, 1, 2]) expect(varianceAt(depth)).toBeCloseTo(0.99998, 5);
});
