import { describe, expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { countPairs, differenceOf, isAbove, isBelow, logEvidenceAbove, type PairCounts } from "./always-valid.ts";
import { NO_EVIDENCE, verdictOf, type LiftEvidence, type Verdict } from "./lift.ts";
import { proposePairs } from "./propose-pairs.ts";

const counts = (better: number, worse: number, same = 0): PairCounts => ({ better, worse, same });
const evidence = (better: number, worse: number, same = 0): number =>
  Math.exp(logEvidenceAbove(counts(better, worse, same), 0));

describe("the evidence against no difference", () => {
  test("as worked out by hand", () => {
    // One better pair: the mean of 1 + c over c in (0, 1) is 3/2; by the closed form (C(2,0) + C(2,1)) / (2 C(1,1)) = 3/2.
    expect(evidence(1, 0)).toBeCloseTo(1.5, 9);
    // One worse: the mean of 1 - c is 1/2.
    expect(evidence(0, 1)).toBeCloseTo(0.5, 9);
    // One of each: the mean of 1 - c² is 2/3; (C(3,0) + C(3,1)) / (3 C(2,1)) = 4/6.
    expect(evidence(1, 1)).toBeCloseTo(2 / 3, 4);
    // Five of five: (1 + 6 + 15 + 20 + 15 + 6) / (6 · 1) = 63 / 6 = 10.5. Pairs that came out alike say nothing.
    expect(evidence(5, 0)).toBeCloseTo(10.5, 3);
    expect(evidence(5, 0, 100)).toBeCloseTo(10.5, 3);
  });

  test("1 / 0.025 = 40: seven of seven give 255 / 8 = 31.9 and do not do, eight of eight give 511 / 9 = 56.8", () => {
    expect([evidence(7, 0), evidence(8, 0)]).toEqual([expect.closeTo(31.875, 2), expect.closeTo(56.778, 2)]);
    expect([isAbove(counts(7, 0), 0), isAbove(counts(8, 0), 0), isBelow(counts(0, 8), 0)]).toEqual([false, true, true]);
  });

  test("in expectation no pair gains anything: whatever came before, the next fair pair leaves it as it is", () => {
    for (const [better, worse] of [
      [0, 0],
      [3, 1],
      [10, 14],
    ] as const) {
      const next = (evidence(better + 1, worse) + evidence(better, worse + 1)) / 2;
      expect(next).toBeCloseTo(evidence(better, worse), 9);
    }
  });

  test("the interval leaves 0 out exactly when the evidence reaches 40, and shrinks", () => {
    expect(differenceOf(counts(0, 0))).toEqual({ value: 0, low: -1, high: 1 });
    expect(differenceOf(counts(7, 0)).low).toBeLessThan(0);
    expect(differenceOf(counts(8, 0)).low).toBeGreaterThan(0);
    const { value, low, high } = differenceOf(counts(30, 10, 60));
    expect([value, low < 0.2, high > 0.2]).toEqual([0.2, true, true]);
    const more = differenceOf(counts(300, 100, 600));
    expect([more.low > low, more.high < high]).toEqual([true, true]);
    // By hand on one pair, m = -1/2: the mean of 1 + 3c is 5/2 for a better one, of 1 + c is 3/2 for one that is the same.
    expect(Math.exp(logEvidenceAbove(counts(1, 0), -0.5))).toBeCloseTo(2.5, 9);
    expect(Math.exp(logEvidenceAbove(counts(0, 0, 1), -0.5))).toBeCloseTo(1.5, 9);
  });

  test("counting: what an arm could not score is no pair; evidence of two runs is a sum", () => {
    const first = countPairs([[1, 0], [0, 1], [1, 1], [null, 1], [0, 0]]); // prettier-ignore
    expect(first).toEqual(counts(1, 1, 2));
    expect(countPairs([[1, 0]], first)).toEqual(counts(2, 1, 2));
  });
});

/** A skill of coins, tested by the rule of the command: looks after every 20 pairs, a stop as soon as it can tell. */
function coinSkill(seed: string, [skill, placebo, bare]: readonly [number, number, number]) {
  const rng = createRng(seed);
  let known = NO_EVIDENCE;
  return {
    run(planned: number): Verdict {
      for (let pairs = 20; ; pairs += 20) {
        for (let pair = 0; pair < 20; pair += 1) {
          const [with_, said, without] = [skill, placebo, bare].map((chance) => Number(rng.float() < chance));
          const add = (to: keyof LiftEvidence, left = 0, right = 0): PairCounts =>
            countPairs([[left, right]], known[to]);
          known = {
            overBare: add("overBare", with_, without),
            overPlacebo: add("overPlacebo", with_, said),
            placeboOverBare: known.placeboOverBare,
          };
        }
        const verdict = verdictOf(known, 0.15, pairs >= planned);
        if (verdict !== undefined) return verdict;
      }
    },
  };
}

describe("as people use it", () => {
  const planned = proposePairs(0.15);

  test("200 placebo skills, with early stopping and three reruns that add trials: at most 5% ever helpful, at most 5% ever harmful", () => {
    const ever = { once: { helps: 0, harms: 0 }, rerun: { helps: 0, harms: 0 } };
    for (let skill = 0; skill < 200; skill += 1) {
      const base = [0.2, 0.5, 0.8][skill % 3] ?? 0;
      const tested = coinSkill(`placebo ${skill}`, [base, base, base]);
      const verdicts = Array.from({ length: 4 }, () => tested.run(planned));
      for (const called of ["helps", "harms"] as const) {
        if (verdicts[0] === called) ever.once[called] += 1;
        if (verdicts.includes(called)) ever.rerun[called] += 1;
      }
    }
    process.stdout.write(`200 placebo skills at ${planned} pairs: ${JSON.stringify(ever)}\n`);
    for (const { helps, harms } of Object.values(ever)) expect(Math.max(helps, harms)).toBeLessThanOrEqual(10);
  });

  test("100 skills with a lift of 0.15 at bases of 0.2, 0.5 and 0.8: at least 80% called helpful with the samples that are proposed", () => {
    const found = [0.2, 0.5, 0.8].map((base) => {
      const all = Array.from({ length: 100 }, (_, at) => coinSkill(`lift ${base} ${at}`, [base + 0.15, base, base]));
      return all.filter((skill) => skill.run(planned) === "helps").length;
    });
    process.stdout.write(`lift 0.15 at ${planned} pairs: helpful ${found.join(", ")} of 100 at 0.2, 0.5, 0.8\n`);
    expect(Math.min(...found)).toBeGreaterThanOrEqual(80);
  });

  test("where the base is known fewer pairs do, and a smaller lift needs more", () => {
    expect(proposePairs(0.15, { base: 0.8 })).toBeLessThan(planned);
    expect(proposePairs(0.3)).toBeLessThan(planned);
  });
});
