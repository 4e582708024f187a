import { expect, test } from "vitest";
import { advantages, answers } from "../../../../test/support/credit.ts";
import {
  chanceOfOne,
  drawLogits,
  momentsOf,
  onLogits,
  responses,
  valueOf,
  type Logits,
  type Response,
} from "../../../../test/support/enumerable-language.ts";
import { createRng } from "limbeck-base/base/rng";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { remax } from "./remax.ts";

test("subtracts the greedy score from the reward to go", () => {
  // The outcome 1 sits on the last of three tokens, so 1 is to go at each; 1 - 0.25 = 0.75.
  const batch = answers([1], [{ mask: [1, 1, 1], greedyScore: 0.25 }]);
  expect(advantages(remax, batch)).toEqual([[0.75, 0.75, 0.75]]);
});

test("token rewards before a token are behind it", () => {
  // To go: 0.5 + 1 = 1.5, then 1 (the masked token's 9 is nobody's).
  const batch = answers([7], [{ mask: [1, 0, 1], tokenRewards: [0.5, 9, 1], greedyScore: 0.25 }]);
  expect(advantages(remax, batch)).toEqual([[1.25, 0, 0.75]]);
});

test("refuses without a greedy rollout", () => {
  expect(() => advantages(remax, answers([1, 0], [{ greedyScore: 1 }]))).toThrow(
    'ReMax needs the score of one greedy rollout of the same task. Row 1 (trajectory "r1", step 0) has no "greedyScore". Add it to every row.',
  );
});

const LENGTH = 3;
const all = responses(LENGTH);
/** A bandit of eight texts: 1-0-1 is worth 10, and each of its words a little by itself. */
const worth = (response: Response): number =>
  response.join("") === "101" ? 10 : response.filter((word, at) => word === [1, 0, 1][at]).length;

/** What always saying the most likely word says. */
function greedy(logits: Logits): Response {
  const said: number[] = [];
  while (said.length < LENGTH) said.push(chanceOfOne(logits, said.join("")) > 0.5 ? 1 : 0);
  return said;
}

const remaxOf = (logits: Logits, response: Response): number[] => {
  const batch = answers([worth(response)], [{ mask: [1, 1, 1], greedyScore: worth(greedy(logits)) }]);
  return advantages(remax, batch)[0] as number[];
};
const pushed = (logits: Logits, of: (response: Response) => number[]) =>
  momentsOf(logits, all, (response) => onLogits(logits, response, of(response)));

test("over all responses it is the exact gradient, with less variance than plain rewards where greedy is typical", () => {
  // Words of chance 0.6 to 0.9: what greedy says, samples mostly say too.
  const logits = new Map([...drawLogits(LENGTH, "typical", 1)].map(([prefix, logit]) => [prefix, logit + 1.5]));
  const [own, plain] = [
    pushed(logits, (response) => remaxOf(logits, response)),
    pushed(logits, (response) => response.map(() => worth(response))),
  ];
  // d E[worth] / d logit by a step of 1e-5 either way.
  for (const [prefix, found] of own.mean) {
    const moved = (by: number): number =>
      valueOf(new Map(logits).set(prefix, (logits.get(prefix) as number) + by), LENGTH, worth, []);
    expect(found).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 6);
    expect(plain.mean.get(prefix)).toBeCloseTo(found, 9);
  }
  expect(own.variance).toBeLessThan(0.7 * plain.variance);
});

test("where greedy earns more than twice what samples do, its variance is above that of plain rewards", () => {
  // A little better than even, word by word: greedy says 1-0-1 and earns 10, a sample does in one of six.
  const logits = new Map(
    responses(0)
      .concat(responses(1), responses(2))
      .map((prefix) => [prefix.join(""), prefix.length === 1 ? -0.2 : 0.2]),
  );
  expect(greedy(logits)).toEqual([1, 0, 1]);
  expect(2 * valueOf(logits, LENGTH, worth, [])).toBeLessThan(10);
  const own = pushed(logits, (response) => remaxOf(logits, response));
  expect(own.variance).toBeGreaterThan(
    1.5 * pushed(logits, (response) => response.map(() => worth(response))).variance,
  );
});

test("it learns from one sampled and one greedy response an update", () => {
  const rng = createRng("bandit");
  const logits = new Map(drawLogits(LENGTH, "bandit", 0.3));
  const before = valueOf(logits, LENGTH, worth, []);
  for (let update = 0; update < 400; update += 1) {
    const said: number[] = [];
    while (said.length < LENGTH) said.push(rng.float() < chanceOfOne(logits, said.join("")) ? 1 : 0);
    for (const [prefix, push] of onLogits(logits, said, remaxOf(logits, said))) {
      logits.set(prefix, (logits.get(prefix) as number) + 0.05 * push);
    }
  }
  expect(before).toBeLessThan(4);
  expect(valueOf(logits, LENGTH, worth, [])).toBeGreaterThan(9);
});

publishedCredit("remax", remax);
