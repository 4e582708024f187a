import { expect, test } from "vitest";
import { createRng, type Rng } from "../rng.ts";
import { bradleyTerry, type Match } from "./bradley-terry.ts";

const won = (left: string, right: string, score = 1): Match => ({ left, right, score });

test("two arms: the odds are the wins, with half a win more on each side", () => {
  // 7 wins of 10: odds 7.5 / 3.5 = 2.142857; 400 log10(2.142857) = 132.398 points apart, half of it each.
  const rounds = Array.from({ length: 10 }, (_, index) => [won("a", "b", index < 7 ? 1 : 0)]);
  const { ratings, better } = bradleyTerry(["a", "b"], rounds, { rng: createRng(1), resamples: 4_000 });
  expect(ratings.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(ratings[0]!.rating).toBeCloseTo(66.199, 2);
  expect(ratings[1]!.rating).toBeCloseTo(-66.199, 2);
  // Jeffreys: 95% of Beta(7.5, 3.5) lies within 0.3936 to 0.8985; 200 log10(p / (1 - p)) = -37.6 to 189.4.
  // Quantiles of 4,000 draws: a few points of noise in the tails.
  expect(Math.abs(ratings[0]!.low - -37.6)).toBeLessThan(8);
  expect(Math.abs(ratings[0]!.high - 189.4)).toBeLessThan(12);
  expect(better("a", "b")).toBeNull();
  // Who is named first changes nothing.
  const turned = rounds.map(([match], index) => (index % 2 === 0 ? [match!] : [won("b", "a", 1 - match!.score)]));
  expect(bradleyTerry(["a", "b"], turned, { rng: createRng(1), resamples: 2 }).ratings[0]!.rating).toBeCloseTo(
    66.199,
    2,
  );
});

test("three wins of three are doubtful, twelve of twelve are not", () => {
  const sweep = (count: number) =>
    bradleyTerry(
      "ab".split(""),
      Array.from({ length: count }, () => [won("a", "b")]),
      { rng: createRng(2) },
    );
  expect(sweep(3).better("a", "b")).toBeNull();
  expect(sweep(3).ratings[0]!.high - sweep(3).ratings[0]!.low).toBeGreaterThan(200);
  expect(sweep(12).better("b", "a")).toBe("a");
});

test("three arms agree with the chances they were drawn from", () => {
  // Strengths 4 : 2 : 1, so that 400 log10(2) = 120.4 points lie between neighbours. 600 rounds: wins of a pair spread
  // by sqrt(600 · 2/9) = 11.5 of 400, odds by about 9%, points by 15; four of those are 60.
  const rng = createRng("strengths");
  const rounds = Array.from({ length: 600 }, () => [
    won("a", "b", rng.float() < 4 / 6 ? 1 : 0),
    won("c", "a", rng.float() < 1 / 5 ? 1 : 0),
    won("b", "c", rng.float() < 2 / 3 ? 1 : 0),
  ]);
  const { ratings, better } = bradleyTerry(["c", "b", "a"], rounds, { rng, resamples: 200 });
  expect(ratings.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  for (const [index, rating] of [120.4, 0, -120.4].entries()) {
    expect(Math.abs(ratings[index]!.rating - rating)).toBeLessThan(60);
  }
  expect([better("a", "b"), better("b", "c"), better("c", "a")]).toEqual(["a", "b", "a"]);
});

test("equal arms are separated in hardly any tournament", () => {
  // The sign test with Holm's correction promises at most 5 in 100: of 100, 5 + 3 · 2.2 = 11.
  const rng = createRng("equal arms");
  let separated = 0;
  for (let tournament = 0; tournament < 100; tournament += 1) {
    const names = ["a", "b", "c"];
    const rounds = Array.from({ length: 10 }, () => roundOf(names, rng));
    const { better } = bradleyTerry(names, rounds, { rng, resamples: 2 });
    if (better("a", "b") ?? better("b", "c") ?? better("a", "c")) separated += 1;
  }
  expect(separated).toBeLessThanOrEqual(11);
});

test("an arm that never met anybody keeps the mean rating, and unknown arms are refused", () => {
  const { ratings } = bradleyTerry(["a", "b", "idle"], [[won("a", "b", 0.5)]], { rng: createRng(3), resamples: 10 });
  expect(ratings.map(({ rating }) => Math.abs(rating) < 1e-6)).toEqual([true, true, true]);
  expect(() => bradleyTerry(["a"], [[won("a", "z")]], { rng: createRng(3) })).toThrow(/No arm "z"/);
});

function roundOf(names: readonly string[], rng: Rng): Match[] {
  const drawn = names.map(() => rng.float());
  return names.flatMap((left, index) =>
    names.slice(index + 1).map((right, at) => won(left, right, drawn[index]! > drawn[index + 1 + at]! ? 1 : 0)),
  );
}
