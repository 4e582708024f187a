/** Losses that live on ratios against exact gradients: every response of a small language, with its exact chance. */
import { expect, test } from "vitest";
import {
  chanceOf,
  drawLogits,
  logprobsOf,
  momentsOf,
  onLogits,
  pushes,
  responses,
  valueOf,
  type Response,
} from "../../../../test/support/enumerable-language.ts";
import type { Objective } from "limbeck-policy/policy/objective";
import { clipped } from "./clipped.ts";
import { ctpo } from "./ctpo.ts";
import { holderpo } from "./holderpo.ts";
import { policyGradient } from "./policy-gradient.ts";

const LENGTH = 5;
const all = responses(LENGTH);
const old = drawLogits(LENGTH, "old", 0.5);
const now = drawLogits(LENGTH, "now", 0.6, old);
/** Right are responses with three ones; the last word counts a little too. */
const worth = (response: Response): number =>
  Number(response.filter((word) => word === 1).length === 3) + 0.2 * (response.at(-1) as number);
/** What each word changes in the expected worth, under the present policy. */
const trueAdvantages = (response: Response): number[] =>
  response.map((_, at) => {
    const value = (until: number): number => valueOf(now, LENGTH, worth, response.slice(0, until));
    return value(at + 1) - value(at);
  });

const summed = { aggregation: "seq-mean-token-sum" } as const;
const wide = { clipLow: 99, clipHigh: 99, dualClip: null } as const;

function learnedFrom(objective: Objective, advantagesOf: (response: Response) => readonly number[]) {
  return momentsOf(old, all, (response) =>
    onLogits(now, response, pushes(objective, { now, old }, response, advantagesOf(response))),
  );
}

function farthest(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  return Math.max(...[...left].map(([prefix, value]) => Math.abs(value - (right.get(prefix) ?? 0))));
}

/** The gradient of the expected worth under the present policy, by counting out. */
const onPolicy = momentsOf(now, all, (response) => onLogits(now, response, trueAdvantages(response)));
/** The same with one weight for the whole response: the ratio of its chances. */
const bySequence = momentsOf(old, all, (response) => {
  const ratio = chanceOf(now, response) / chanceOf(old, response);
  return onLogits(
    now,
    response,
    trueAdvantages(response).map((advantage) => ratio * advantage),
  );
});

test("the true advantages give the gradient of the expected worth", () => {
  // d E[worth] / d logit = sum over responses of chance * worth * d log p; the same by a step of 1e-5 of one logit.
  const moved = (by: number): number => {
    const logits = new Map(now).set("01", (now.get("01") as number) + by);
    return valueOf(logits, LENGTH, worth, []);
  };
  expect(onPolicy.mean.get("01")).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 8);
});

test("ctpo: the prefix's ratio gives the on-policy gradient from responses of an older policy", () => {
  const prefix = learnedFrom(ctpo.create({ ...summed, ...wide }), trueAdvantages);
  expect(farthest(prefix.mean, onPolicy.mean)).toBeLessThan(1e-12);
  // The ratio of the token alone does not, nor do no ratios at all.
  const token = learnedFrom(clipped.create({ ...summed, ...wide, clipLow: 1 }), trueAdvantages);
  const none = learnedFrom(policyGradient.create(summed), trueAdvantages);
  expect(farthest(token.mean, onPolicy.mean)).toBeGreaterThan(0.005);
  expect(farthest(none.mean, onPolicy.mean)).toBeGreaterThan(0.005);
});

test("ctpo: its variance lies below that of the whole response's ratio, which has the same mean", () => {
  const prefix = learnedFrom(ctpo.create({ ...summed, ...wide }), trueAdvantages);
  expect(farthest(bySequence.mean, onPolicy.mean)).toBeLessThan(1e-12);
  // A prefix's ratio is the mean of the whole one's over what comes after it, so that no logit's variance is larger.
  for (const [place, own] of prefix.variances) expect(own).toBeLessThan((bySequence.variances.get(place) ?? 0) + 1e-15);
  // Nothing comes after the last word. The first has four words behind it.
  const [root, wholeRoot] = [prefix, bySequence].map(({ variances }) => variances.get("") as number) as [
    number,
    number,
  ];
  expect(root).toBeLessThan(0.8 * wholeRoot);
});

test("ctpo: bounds that grow with the root of the place clip early and late words alike", () => {
  const long = 7;
  const every = responses(long);
  /** Chance, under the old policy, that a word of this place has no gradient; over ten languages. */
  const ratesOf = (power: number): number[] => {
    const objective = ctpo.create({ ...summed, clipLow: 0.05, clipHigh: 0.05, dualClip: null, power });
    const rates = Array.from({ length: long }, () => 0);
    for (let draw = 0; draw < 10; draw += 1) {
      const before = drawLogits(long, `before ${draw}`, 0.3);
      const policies = { old: before, now: drawLogits(long, `after ${draw}`, 0.1, before) };
      for (const response of every) {
        for (const sign of [1, -1]) {
          const own = pushes(
            objective,
            policies,
            response,
            response.map(() => sign),
          );
          own.forEach((push, at) => {
            rates[at] = (rates[at] as number) + (push === 0 ? chanceOf(before, response) / 20 : 0);
          });
        }
      }
    }
    return rates;
  };
  const spread = (rates: readonly number[]): number => Math.max(...rates) / Math.min(...rates);
  const [growing, equal] = [ratesOf(0.5), ratesOf(0)];
  expect(spread(growing)).toBeLessThan(1.3);
  expect(spread(equal)).toBeGreaterThan(1.6);
});

test("holderpo: the variance of the gradient grows with the exponent, where a policy has moved along its gradient", () => {
  // A policy that is sure of most words, as trained ones are, and the same one some steps up its own gradient.
  const sure = drawLogits(LENGTH, "sure", 3);
  const baseline = valueOf(sure, LENGTH, worth, []);
  const outcome = (response: Response): number[] => response.map(() => worth(response) - baseline);
  const uphill = momentsOf(sure, all, (response) => onLogits(sure, response, outcome(response))).mean;
  const moved = new Map([...sure].map(([prefix, logit]) => [prefix, logit + 5 * (uphill.get(prefix) ?? 0)]));
  const variances = [-4, -2, -1, 0, 1, 2, 4].map((exponent) => {
    const objective = holderpo.create({ exponent, clipLow: 1, clipHigh: 99 });
    return momentsOf(sure, all, (response) =>
      onLogits(moved, response, pushes(objective, { now: moved, old: sure }, response, outcome(response))),
    ).variance;
  });
  expect(variances).toEqual(variances.toSorted((left, right) => left - right));
  expect(variances.at(-1)).toBeGreaterThan(1.3 * (variances[0] as number));
});

test("holderpo: exponents 1 and 0 are the arithmetic and the geometric mean of the ratios", () => {
  const response = all[11] as Response;
  const ratios = logprobsOf(now, response).map((one, at) => Math.exp(one - (logprobsOf(old, response)[at] as number)));
  const summedPush = (exponent: number): number =>
    pushes(
      holderpo.create({ exponent, clipLow: 1, clipHigh: 99 }),
      { now, old },
      response,
      response.map(() => 1),
    ).reduce((sum, push) => sum + push, 0);
  // A row's pushes add up to advantage * rho: shares of the power sum add up to 1.
  expect(summedPush(1)).toBeCloseTo(ratios.reduce((sum, ratio) => sum + ratio, 0) / LENGTH, 7);
  expect(summedPush(0)).toBeCloseTo(ratios.reduce((product, ratio) => product * ratio, 1) ** (1 / LENGTH), 7);
});
