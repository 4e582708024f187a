import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveOptions } from "limbeck-base/base/options";
import { divergenceOf, divergenceOptions, type DivergenceOptions } from "./divergences.ts";

const logs = (values: readonly number[]): Float64Array => Float64Array.from(values, Math.log);

function divergence(p: readonly number[], q: readonly number[], options: Partial<DivergenceOptions>) {
  const slopes = new Float64Array(p.length);
  const value = divergenceOf("it", resolveOptions(divergenceOptions, options, "it"))(
    logs(p),
    logs(q),
    slopes,
    0,
    p.length,
  );
  return { value, slopes: [...slopes] };
}

// The toolbox's example.
const teacher = [0.7, 0.2, 0.1];
const student = [0.5, 0.4, 0.1];

describe("the worked numbers", () => {
  test.each([
    // 0.7 ln 1.4 + 0.2 ln 0.5 = 0.235531 - 0.138629
    ["forward", { direction: "forward" }, 0.096901],
    // 0.5 ln(5/7) + 0.4 ln 2 = -0.168236 + 0.277259
    ["reverse", { direction: "reverse" }, 0.109023],
    // m = [0.6, 0.3, 0.1]: half of 0.7 ln(7/6) + 0.2 ln(2/3) = 0.026812, and of 0.5 ln(5/6) + 0.4 ln(4/3) = 0.023912
    ["JSD 0.5", { direction: "jsd", beta: 0.5 }, 0.025362],
    ["JSD 0.25", { direction: "jsd", beta: 0.25 }, 0.018541],
    ["JSD 0 is forward", { direction: "jsd", beta: 0 }, 0.096901],
    ["JSD 1 is reverse", { direction: "jsd", beta: 1 }, 0.109023],
  ] as const)("%s", (_name, options, expected) => {
    expect(divergence(student, teacher, options).value).toBeCloseTo(expected, 6);
    expect(divergence(student, teacher, { ...options, rest: "renormalise" }).value).toBeCloseTo(expected, 6);
  });

  test("the teacher's top two: renormalised, with a tail, and as a cross-entropy", () => {
    const [p, q] = [student.slice(0, 2), teacher.slice(0, 2)];
    // 7/9 ln((7/9) / (5/9)) + 2/9 ln((2/9) / (4/9))
    expect(divergence(p, q, { direction: "forward", rest: "renormalise" }).value).toBeCloseTo(0.107668, 6);
    // The tail is the third word, of which both think the same.
    expect(divergence(p, q, { direction: "forward" }).value).toBeCloseTo(0.096901, 6);
    // -7/9 ln 0.5 - 2/9 ln 0.4
    expect(divergence(p, q, { direction: "cross-entropy" }).value).toBeCloseTo(0.742735, 6);
  });

  test("temperature 2 on logits", () => {
    // Teacher softmax([1, 0.5]) = [0.622459, 0.377541], student [0.5, 0.5]; 4 * KL.
    const soft = (logits: readonly number[]): number[] => {
      const powers = logits.map(Math.exp);
      return powers.map((power) => power / powers.reduce((sum, one) => sum + one, 0));
    };
    const options = { direction: "forward", rest: "renormalise", temperature: 2 } as const;
    expect(divergence(soft([1, 1]), soft([2, 1]), options).value).toBeCloseTo(0.121199, 6);
  });

  test("gradients on the logits", () => {
    // d/dz_v = slope_v - p_v * sum of slopes, the way back through a softmax.
    const onLogits = (options: Partial<DivergenceOptions>): number[] => {
      const { slopes } = divergence(student, teacher, options);
      const total = slopes.reduce((sum, slope) => sum + slope, 0);
      return slopes.map((slope, at) => slope - (student[at] as number) * total);
    };
    for (const [at, expected] of [-0.2, 0.2, 0].entries()) {
      expect(onLogits({ direction: "forward" })[at]).toBeCloseTo(expected, 6);
    }
    for (const [at, expected] of [-0.222747, 0.23365, -0.010902].entries()) {
      expect(onLogits({ direction: "reverse" })[at]).toBeCloseTo(expected, 6);
    }
  });

  test("a clamp holds the value and stops the slope", () => {
    expect(divergence(student, teacher, { direction: "forward", clamp: 0.1 }).value).toBeCloseTo(0.096901, 6);
    const held = divergence(student, teacher, { direction: "forward", clamp: 0.05 });
    expect(held).toEqual({ value: 0.05, slopes: [0, 0, 0] });
  });

  test("a clamp of each word holds its share only, and a share below 0 stays", () => {
    // 0.7 ln 1.4 = 0.235531 is cut to 0.05; 0.2 ln 0.5 = -0.138629 and 0 are left.
    const cut = divergence(student, teacher, { direction: "forward", clamp: 0.05, clampOf: "word" });
    expect(cut.value).toBeCloseTo(-0.088629, 6);
    for (const [at, slope] of [0, -0.2, -0.1].entries()) expect(cut.slopes[at]).toBeCloseTo(slope, 6);
    expect(() => divergence(student, teacher, { direction: "cross-entropy", clampOf: "word" })).toThrow(/clampOf/);
  });
});

const shares = fc
  .array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 })
  .map((values) => values.map((value) => value / values.reduce((sum, one) => sum + one, 0)));
const choice = fc.record(
  {
    direction: fc.constantFrom("forward", "reverse", "jsd"),
    beta: fc.double({ min: 0, max: 1, noNaN: true }),
    rest: fc.constantFrom("tail", "renormalise"),
  },
  { noNullPrototype: true },
) as fc.Arbitrary<Pick<DivergenceOptions, "direction" | "beta" | "rest">>;

test("never negative, and 0 where both agree, on any number of candidates", () => {
  fc.assert(
    fc.property(shares, shares, choice, fc.integer({ min: 1, max: 4 }), (p, q, options, count) => {
      const [some, theirs] = [p.slice(0, count), q.slice(0, count)];
      expect(divergence(some, theirs, options).value).toBeGreaterThan(-1e-9);
      expect(divergence(some, some, options).value).toBeCloseTo(0, 9);
    }),
    { numRuns: 200 },
  );
});

test("words that one side has ruled out stay finite", () => {
  const far = [-800, -0.001];
  const slopes = new Float64Array(2);
  for (const direction of ["forward", "reverse", "jsd"] as const) {
    for (const rest of ["tail", "renormalise"] as const) {
      const compute = divergenceOf("it", resolveOptions(divergenceOptions, { direction, rest }, "it"));
      for (const [p, q] of [
        [far, [-0.001, -800]],
        [[-0.001, -800], far],
      ] as const) {
        const value = compute(Float64Array.from(p), Float64Array.from(q), slopes, 0, 2);
        expect([value, ...slopes].every(Number.isFinite)).toBe(true);
      }
    }
  }
});
