import { expect, test } from "vitest";
import { assign, episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { siop } from "./siop.ts";

const turn = (id: string | null, before: number, after: number, evidence?: number) => ({
  signals: { cluster: { id, before, after, ...(evidence === undefined ? {} : { evidence }) } },
});
const still = turn("b", 0.3, 0.3);

test("turns earn the rise of the shared answer's likelihood", () => {
  // Four answers, three of them a: q is 0.75 and 0.25.
  const batch = episodes({
    X: { outcome: 0, steps: [turn("a", 0.2, 0.5), turn("a", 0.5, 0.6)] },
    Y: { outcome: 0, steps: [still, still] },
    Z: { outcome: 0, steps: [turn("a", 0.1, 0.9)] },
    W: { outcome: 0, steps: [turn("a", 0.1, 0.9)] },
  });
  // r: X 0.75 * ln(2.5) = 0.687218, 0.75 * ln(1.2) + 0.5 * 0.75 = 0.136741 + 0.375 = 0.511741; Y 0, 0.125;
  // Z and W, one turn: 0.375 each. Mean 0.345660, std 0.250654 (5 in the divisor).
  // z: 1.362666, 0.662591, -1.379030, -0.880335, 0.117054 twice. From the end: 0.662591 + 1.362666 = 2.025256.
  const found = rowAdvantages(siop, batch);
  for (const [at, expected] of [2.025256, 0.662591, -2.259365, -0.880335, 0.117054, 0.117054].entries()) {
    expect(found[at]).toBeCloseTo(expected, 5);
  }
});

test("shares by evidence", () => {
  // One a and one b; evidence ln 3 for a: weights 3 and 1, q 0.75 and 0.25.
  const batch = episodes({
    X: { outcome: 0, steps: [turn("a", 0.2, 0.5, Math.log(3)), turn("a", 0.5, 0.6, Math.log(3))] },
    Y: { outcome: 0, steps: [turn("b", 0.3, 0.3, 0), turn("b", 0.3, 0.3, 0)] },
  });
  // r 0.687218, 0.511741, 0, 0.125: mean 0.330990, std 0.322261; z 1.105404, 0.560886, -1.027087, -0.639203.
  const found = rowAdvantages(siop, batch, { eta: 1 });
  for (const [at, expected] of [1.66629, 0.560886, -1.66629, -0.639203].entries()) {
    expect(found[at]).toBeCloseTo(expected, 5);
  }
});

test("a turn without an answer earns 0, counts and is trained", () => {
  const batch = episodes({
    X: { outcome: 0, steps: [turn("a", 0.2, 0.4), turn("a", 0.4, 0.8)] },
    Y: { outcome: 0, steps: [turn(null, 0, 0)] },
  });
  // r: ln 2 = 0.693147, ln 2 + 0.5 = 1.193147, and 0. Mean 0.628765; squares 0.004145, 0.318527, 0.395345, / 2, std 0.599173.
  // z 0.107452, 0.941935, -1.049387; from the end 0.941935 + 0.107452 = 1.049387.
  const { dropped, metrics } = assign(siop, batch);
  expect(dropped).toEqual([]);
  expect(metrics["answered"]).toBe(1);
  expect(rowAdvantages(siop, batch).map(round)).toEqual([1.049387, 0.941935, -1.049387]);
});

test("where no trajectory has an answer there is nothing to learn", () => {
  const none = { outcome: 0, steps: [turn(null, 0, 0), turn(null, 0, 0)] };
  const batch = episodes({ X: none, Y: none });
  expect(rowAdvantages(siop, batch)).toEqual([0, 0, 0, 0]);
  expect(assign(siop, batch).dropped).toEqual([]);
});

test("a single turn, and equal rewards, are 0", () => {
  expect(rowAdvantages(siop, episodes({ X: { outcome: 0, steps: [turn("a", 0.2, 0.4)] } }))).toEqual([0]);
  const same = { outcome: 0, steps: [turn("a", 0.2, 0.4)] };
  expect(rowAdvantages(siop, episodes({ X: same, Y: same }))).toEqual([0, 0]);
});

publishedCredit("siop", siop, 4);
