import { expect, test } from "vitest";
import { advantages, answers, assign, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { published } from "../../../../test/support/published.ts";
import { echo } from "./echo.ts";

const said = (...logprobs: number[]) =>
  logprobs.map((logprob) => ({ logprobs: { old: [logprob], entropy: [-logprob] } }));
const near = (found: ArrayLike<number>, expected: readonly number[]) => {
  expect(found).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) expect(found[at]).toBeCloseTo(value, 5);
};
/** Clip ranges, of which the factors are those of 0.2. */
const rangesOf = (clipScales: Float64Array | undefined) => Array.from(clipScales ?? [], (scale) => 0.2 * scale);

test("without a difference there is no push", () => {
  expect(rowAdvantages(echo, answers([1, 1, 1, 1], said(-0.1, -0.2, -0.3, -2.302585)))).toEqual([0, 0, 0, 0]);
});

test("a wrong answer by an unsure token is punished harder", () => {
  // Beside eleven sure tokens S = 2 at the last, held there: A (1 + 0.1 * 2).
  const batch = answers(
    [...Array.from({ length: 11 }, () => 1), 0],
    said(...Array.from({ length: 11 }, () => -0.01), -3),
  );
  const shaped = rowAdvantages(echo, batch, { normByStd: false });
  expect(shaped.at(-1)).toBeCloseTo(1.2 * (-11 / 12), 5);
});

test("the less sure an answer ends, the wider is its clip range", () => {
  const { clipScales } = assign(echo, answers([1, 0, 0], said(0, Math.log(0.5), -50)));
  // 0.05 + 0.15 sigmoid(4 (1 - C)): C = 1, 0.5, 0.
  near(rangesOf(clipScales), [0.125, 0.18212, 0.197302]);
});

interface Case {
  readonly tasks: readonly string[];
  readonly scores: readonly number[];
  readonly old: readonly (readonly number[])[];
  readonly entropy: readonly (readonly number[])[];
  readonly options: Readonly<Record<string, number | null>>;
  readonly advantages: readonly (readonly number[])[];
  readonly clip: readonly number[];
}

test.each(published<Case>("echo").cases.map((one, at) => [at, one] as const))("as published: %i", (_, one) => {
  const batch = answers(
    one.scores,
    one.tasks.map((task, at) => {
      const [old = [], entropy = []] = [one.old[at], one.entropy[at]];
      return { task, mask: old.map(() => 1), logprobs: { old, entropy } };
    }),
  );
  const found = advantages(echo, batch, one.options);
  for (const [at, expected] of one.advantages.entries()) near(found[at] ?? [], expected);
  near(rangesOf(assign(echo, batch, one.options).clipScales), one.clip);
});

test("one token alone is not shaped", () => {
  expect(rowAdvantages(echo, answers([0.5], said(-1)))).toEqual([round(0.5 / (1 + 1e-6))]);
});
