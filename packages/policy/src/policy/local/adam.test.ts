import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { createAdamKernel, createSum, normOf, plainAdamKernel } from "./adam-kernel.ts";
import { adamStep, type AdamState } from "./adam.ts";

const options = { learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.5 };

test("two steps by hand, with and without decay", () => {
  const state: AdamState = { step: 0, first: new Float32Array(2), second: new Float32Array(2) };
  const arrays = { parameters: Float32Array.of(2, 2), gradients: Float32Array.of(6, 6), decayed: 1, scale: 0.5 };
  const kernel = createAdamKernel();
  adamStep(arrays, state, options, kernel);
  // g = 3: m = 0.3, v = 0.09; corrected 3 and 9; the move is 0.1 * 3 / 3. The first is decayed by 0.1 * 0.5 of itself.
  expect(state.first[0]).toBeCloseTo(0.3, 6);
  expect(state.second[0]).toBeCloseTo(0.09, 6);
  expect(arrays.parameters[0]).toBeCloseTo(2 * 0.95 - 0.1, 6);
  expect(arrays.parameters[1]).toBeCloseTo(1.9, 6);
  arrays.gradients.fill(0);
  adamStep(arrays, state, options, kernel);
  // m = 0.27, v = 0.0891; corrected 0.27 / 0.19 and 0.0891 / 0.0199; the move is 0.1 * 1.421053 / 2.115984 = 0.067158.
  expect(arrays.parameters[1]).toBeCloseTo(1.9 - 0.067158, 5);
  expect(state.step).toBe(2);
});

test.each([1, 3, 4, 8_191, 8_192, 20_001])("vectors and the plain loop agree on %i numbers", (length) => {
  const rng = createRng(length);
  const draw = (scale: number): Float32Array => Float32Array.from({ length }, () => rng.normal() * scale);
  const first = { parameters: draw(1), gradients: draw(0.1), first: draw(0.1), second: draw(0.1).map(Math.abs) };
  const copy = (array: Float32Array): Float32Array => array.slice();
  const second = {
    parameters: copy(first.parameters),
    gradients: first.gradients,
    first: copy(first.first),
    second: copy(first.second),
  };
  const factors = {
    scale: 0.7,
    firstShare: 0.1,
    secondShare: 0.001,
    keep: 0.99,
    rate: 0.01,
    correction: 3,
    epsilon: 1e-8,
  };
  const start = Math.min(1, length - 1);
  createAdamKernel()(first, start, length, factors);
  plainAdamKernel(second, start, length, factors);
  for (const name of ["parameters", "first", "second"] as const) {
    const distance = first[name].reduce(
      (most, value, at) => Math.max(most, Math.abs(value - (second[name][at] ?? 9))),
      0,
    );
    expect(distance).toBeLessThan(1e-6);
  }
});

test.each([1, 6, 8_191, 20_001])("of %i numbers the largest are noted, and a trial changes nothing", (length) => {
  for (const kernel of [createAdamKernel(), plainAdamKernel]) {
    const rng = createRng(length);
    const draw = (): Float32Array => Float32Array.from({ length }, () => rng.normal());
    const arrays = { parameters: draw(), gradients: draw(), first: draw(), second: draw().map(Math.abs) };
    const before = structuredClone(arrays);
    const plain = { scale: 1, firstShare: 0.1, secondShare: 0.001, keep: 1, rate: 0.1, correction: 2, epsilon: 1e-8 };
    const trial = kernel(arrays, 0, length, plain, true);
    for (const name of ["parameters", "gradients", "first", "second"] as const) {
      // Whole buffers: number by number an assertion takes long.
      expect(Buffer.from(arrays[name].buffer).equals(Buffer.from(before[name].buffer))).toBe(true);
    }
    expect(kernel(arrays, 0, length, plain)).toEqual(trial);
    const largest = (values: Float32Array): number =>
      values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const { parameters, first, second } = arrays;
    expect(trial).toEqual({ parameters: largest(parameters), first: largest(first), second: largest(second) });
    // One that is none, at the last place, is among the largest; what a block left behind is not.
    arrays.gradients[length - 1] = Number.NaN;
    expect(kernel(arrays, 0, length, plain, true).second).toBeNaN();
    arrays.gradients[length - 1] = 0;
    expect(kernel(arrays, 0, length, plain, true).second).toBeLessThan(10);
  }
});

test("what is known of the last step saves the trial, until somebody wrote into the weights", () => {
  const trials: boolean[] = [];
  const kernel: typeof plainAdamKernel = (...words) => {
    trials.push(words[4] ?? false);
    return plainAdamKernel(...words);
  };
  const state: AdamState = { step: 0, first: new Float32Array(2), second: new Float32Array(2) };
  const arrays = { parameters: Float32Array.of(2, 2), gradients: Float32Array.of(3, 4), decayed: 2, scale: 1, norm: 5 };
  adamStep(arrays, state, options, kernel);
  expect(trials).toEqual([true, true, false, false]);
  adamStep(arrays, state, options, kernel);
  expect(trials.slice(4)).toEqual([false, false]);
  // 0.1 / 0.271 * 5 / 1e-8 = 1.8e8 is near; with 1e12 as the rate it may be 1.8e21, and turns out to be 1e12.
  adamStep(arrays, state, { ...options, learningRate: 1e12 }, kernel);
  expect(trials.slice(6)).toEqual([true, true, false, false]);
  arrays.parameters[1] = Number.NaN;
  expect(() => adamStep(arrays, state, options, kernel)).toThrow(
    /^Step 4 makes a weight NaN.*load the last checkpoint/,
  );
});

test("a first moment that has ended becomes zero instead of a denormal number", () => {
  for (const kernel of [createAdamKernel(), plainAdamKernel]) {
    const state: AdamState = { step: 0, first: Float32Array.of(1e-30, 1), second: Float32Array.of(1, 1) };
    const arrays = { parameters: Float32Array.of(1, 1), gradients: new Float32Array(2), decayed: 2, scale: 1 };
    adamStep(arrays, state, options, kernel);
    expect(state.first[0]).toBe(0);
    expect(state.first[1]).toBeCloseTo(0.9, 6);
  }
});

test("the norm by hand, and bit for bit that of a plain loop with four sums", () => {
  expect(normOf(Float32Array.of(3, 0, 0, 4))).toBe(5);
  expect(normOf(new Float32Array(0))).toBe(0);
  expect(normOf(Float32Array.of(1, 1, 1, 1, 1, 1, 1, 1, 1))).toBe(3);
  expect(normOf(Float32Array.of(0, 0, 0, 0, Number.NaN))).toBeNaN();
  expect(normOf(Float32Array.of(0, Number.NEGATIVE_INFINITY, 0, 0))).toBe(Number.POSITIVE_INFINITY);
  for (const length of [1, 6, 8_192, 20_003]) {
    const rng = createRng(length);
    const values = Float32Array.from({ length }, () => rng.normal() * 10 ** rng.int(9));
    const sums = [0, 0, 0, 0];
    const whole = length - (length % 4);
    values.forEach(
      (value, at) => (sums[at < whole ? at % 4 : 0] = (sums[at < whole ? at % 4 : 0] as number) + value ** 2),
    );
    const [a, b, c, d] = sums as [number, number, number, number];
    expect(normOf(values)).toBe(Math.sqrt(a + b + c + d));
  }
});

test.each([1, 5, 8_192, 20_003])("sums of %i numbers are those of a plain loop", (length) => {
  const rng = createRng(length);
  const draw = (): Float32Array => Float32Array.from({ length }, () => rng.normal());
  const [sum, change] = [draw(), draw()];
  const expected = sum.map((value, at) => value + (change[at] as number));
  createSum()(sum, change);
  expect(Buffer.from(sum.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
});
