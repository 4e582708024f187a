import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { drawOneTokens } from "./one-token.ts";

const PROBABILITIES = [0.5, 0.3, 0.2];
const row = { ids: Int32Array.of(0, 2, 1), mask: Uint8Array.of(0, 1, 0) };
const logprobs = Float32Array.from([...PROBABILITIES, ...PROBABILITIES, ...PROBABILITIES].map(Math.log));

function sharesOf(temperature: number): number[] {
  const count = 20_000;
  const options = { count, temperature, addGold: false };
  const { ids } = drawOneTokens(row, logprobs, options, createRng("shares"));
  const own = ids.subarray(count, 2 * count);
  return [0, 1, 2].map((id) => own.filter((one) => one === id).length / count);
}

test("draws follow the policy at their temperature", () => {
  // 20,000 draws of p = 0.5 have a deviation of 0.0035; five of them is 0.018.
  for (const [at, share] of sharesOf(1).entries())
    expect(Math.abs(share - (PROBABILITIES[at] as number))).toBeLessThan(0.018);
  // At temperature 2 the square roots count: 0.707, 0.548, 0.447 of 1.702 = 0.4155, 0.3218, 0.2628.
  for (const [at, share] of sharesOf(2).entries()) {
    expect(Math.abs(share - ([0.4155, 0.3218, 0.2628][at] as number))).toBeLessThan(0.018);
  }
});

test("only trained positions are drawn for; the recorded token is added when asked", () => {
  const { count, ids } = drawOneTokens(row, logprobs, { count: 4, temperature: 1.3, addGold: true }, createRng(1));
  expect(count).toBe(5);
  expect(ids).toHaveLength(15);
  expect([...ids.subarray(0, 5), ...ids.subarray(10)]).toEqual(Array.from({ length: 10 }, () => 0));
  expect(ids[9]).toBe(2);
});

test("the same seed draws the same, and a temperature of 0 is refused", () => {
  const draw = (temperature: number): Int32Array =>
    drawOneTokens(row, logprobs, { count: 8, temperature, addGold: false }, createRng("same")).ids;
  expect(draw(1)).toEqual(draw(1));
  expect(() => draw(0)).toThrow(/temperature of one-token rollouts is 0/);
});
