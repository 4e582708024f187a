import { expect, test } from "vitest";
import { otr } from "./otr.ts";

/** One trained token, whose recorded id is 7. */
const compute = (
  ids: readonly number[],
  probabilities: readonly number[],
  options: Parameters<typeof otr.create>[0] = {},
) => {
  const count = ids.length;
  const row = {
    ids: Int32Array.of(0, 7),
    mask: Uint8Array.of(0, 1),
    candidates: { count, ids: Int32Array.from([...ids.map(() => 0), ...ids]) },
  };
  const live = { candidates: [Float64Array.from([...ids.map(() => 0), ...probabilities.map(Math.log)])] };
  const { loss, weights, metrics } = otr.create(options).compute(live, live, [row]);
  return { loss, slopes: [...(weights.candidates?.[0] ?? [])].slice(count), metrics };
};

test("the worked draws: the recorded token twice, another twice", () => {
  // -(ln 0.5 - 0.1 ln 0.3 - 0.1 ln 0.3 + ln 0.5) / 4 = (1.386294 - 0.240795) / 4 = 0.286375
  const { loss, slopes, metrics } = compute([7, 3, 3, 7], [0.5, 0.3, 0.3, 0.5]);
  expect(loss).toBeCloseTo(0.286375, 6);
  expect(slopes).toEqual([-0.25, 0.025, 0.025, -0.25]);
  expect(metrics?.["right"]).toBe(0.5);
});

test("without the recorded token among the draws a small push down is left", () => {
  // (0.1 ln 0.3) / 1 = -0.120397: a negative loss, and slopes that lower what was drawn.
  const { loss, slopes } = compute([3], [0.3]);
  expect(loss).toBeCloseTo(-0.120397, 6);
  expect(slopes).toEqual([expect.closeTo(0.1, 12)]);
});

test("the expected form weighs every candidate by its share at the temperature", () => {
  // p = 0.64, 0.36 at temperature 2: 0.8 and 0.6 of 1.4. Loss -(0.571429 ln 0.64 - 0.1 * 0.428571 ln 0.36)
  // = 0.255020 - 0.043785 = 0.211235
  const { loss } = compute([7, 3], [0.64, 0.36], { form: "expected", temperature: 2 });
  expect(loss).toBeCloseTo(0.211235, 5);
});

test("impossible options and rows without draws are named", () => {
  expect(() => otr.create({ form: "guessed" as never })).toThrow(/form of otr is "guessed"/);
  expect(() => otr.create({ temperature: 0 })).toThrow(/temperature of otr is 0/);
  const row = { ids: new Int32Array(2), mask: Uint8Array.of(0, 1) };
  expect(() =>
    otr.create().compute({ candidates: [new Float64Array()] }, { candidates: [new Float64Array()] }, [row]),
  ).toThrow(/row 0 has no candidates/);
});
