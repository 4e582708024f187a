import { expect, test } from "vitest";
import { candidateDivergence } from "./candidate-divergence.ts";

const log = (values: readonly number[]): number[] => values.map((value) => Math.log(value));
/** One trained token after one that is not, with two candidates. */
const compute = (direction: "forward" | "reverse", p: readonly number[], q: readonly number[]) => {
  const row = {
    ids: new Int32Array(2),
    mask: Uint8Array.of(0, 1),
    candidates: { count: 2, ids: Int32Array.of(0, 1, 0, 1) },
    teacherCandidates: Float32Array.from([0, 0, ...log(q)]),
  };
  const live = { candidates: [Float64Array.from([0, 0, ...log(p)])] };
  const { loss, weights, divergence } = candidateDivergence.create({ direction }).compute(live, live, [row]);
  // Of the one trained token, which is the whole loss.
  expect([...(divergence?.[0] ?? [])]).toEqual([0, loss]);
  return { loss, slopes: [...(weights.candidates?.[0] ?? [])].slice(2) };
};

test("forward and reverse with a rest", () => {
  // p = 0.5, 0.2, rest 0.3; q = 0.25, 0.25, rest 0.5.
  // forward: 0.25 ln(0.5) + 0.25 ln(1.25) + 0.5 ln(5/3) = -0.173287 + 0.055786 + 0.255413 = 0.137912
  //   slopes: 0.5 * 0.5/0.3 - 0.25 = 0.583333; 0.2 * 0.5/0.3 - 0.25 = 0.083333
  const forward = compute("forward", [0.5, 0.2], [0.25, 0.25]);
  expect(forward.loss).toBeCloseTo(0.137912, 5);
  expect(forward.slopes[0]).toBeCloseTo(0.583333, 5);
  expect(forward.slopes[1]).toBeCloseTo(0.083333, 5);
  // reverse: 0.5 ln 2 + 0.2 ln 0.8 + 0.3 ln 0.6 = 0.346574 - 0.044629 - 0.153248 = 0.148697
  //   slopes: 0.5 (0.693147 + 0.510826) = 0.601986; 0.2 (-0.223144 + 0.510826) = 0.057536
  const reverse = compute("reverse", [0.5, 0.2], [0.25, 0.25]);
  expect(reverse.loss).toBeCloseTo(0.148697, 5);
  expect(reverse.slopes[0]).toBeCloseTo(0.601986, 5);
  expect(reverse.slopes[1]).toBeCloseTo(0.057536, 5);
});

test("the whole vocabulary leaves nothing over", () => {
  // p = 0.8, 0.2; q = 0.5, 0.5. forward 0.5 ln(0.625) + 0.5 ln(2.5) = 0.223144; slopes -q.
  const forward = compute("forward", [0.8, 0.2], [0.5, 0.5]);
  expect(forward.loss).toBeCloseTo(0.223144, 5);
  expect(forward.slopes).toEqual([expect.closeTo(-0.5, 6), expect.closeTo(-0.5, 6)]);
  // reverse 0.8 ln 1.6 + 0.2 ln 0.4 = 0.376003 - 0.183258 = 0.192745; slopes p (ln(p/q) + 1).
  const reverse = compute("reverse", [0.8, 0.2], [0.5, 0.5]);
  expect(reverse.loss).toBeCloseTo(0.192745, 5);
  expect(reverse.slopes).toEqual([expect.closeTo(1.176003, 5), expect.closeTo(0.016742, 5)]);
});

test("a teacher of the wrong size is named", () => {
  const row = {
    ids: new Int32Array(2),
    mask: Uint8Array.of(0, 1),
    candidates: { count: 2, ids: new Int32Array(4) },
    teacherCandidates: new Float32Array(3),
  };
  const live = { candidates: [new Float64Array(4)] };
  expect(() => candidateDivergence.create().compute(live, live, [row])).toThrow(
    /row 0 has 3 teacherCandidates for 2 tokens of 2 candidates/,
  );
});
