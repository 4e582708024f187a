import { expect, test } from "vitest";
import { advantages, assign, episodes } from "../../../../test/support/credit.ts";
import { published } from "../../../../test/support/published.ts";
import { scopeA } from "./scope-a.ts";

/** A single token of this perplexity under the policy, and under the teacher where there is one. */
const token = (policy: number, teacher?: number, more: object = {}) => ({
  logprobs: { old: [-Math.log(policy)], ...(teacher === undefined ? {} : { episodeTeacher: [-Math.log(teacher)] }) },
  ...more,
});
const failed = (policy: number, teacher?: number) => ({ outcome: 0, steps: [token(policy, teacher)] });
const solved = (policy: number) => ({ outcome: 1, steps: [token(policy)] });

test("teacher perplexities 2 and 4, policy perplexities 1.5 and 3", () => {
  const batch = episodes({ A: failed(3, 2), B: failed(3, 4), C: solved(1.5), D: solved(3) });
  // u = 0.5 / 0.375 and 0.25 / 0.375; v = 1.5 / 2.25 and 3 / 2.25. With `divergence` they stand alone.
  expect(advantages(scopeA, batch, { divergence: true }).flat()).toEqual([1.333333, 0.666667, 0.666667, 1.333333]);
  // u times ln 3 - ln 2 = 0.405465, and ln 3 - ln 4 = -0.287682.
  expect(advantages(scopeA, batch).flat()).toEqual([0.54062, -0.191788, 0.666667, 1.333333]);
  // The other way round: 2 / 3 and 4 / 3.
  const surprising = advantages(scopeA, batch, { divergence: true, reliable: "surprising" }).flat();
  expect(surprising.slice(0, 2)).toEqual([0.666667, 1.333333]);
});

test("halves of one weigh 1, and a half may be missing", () => {
  expect(advantages(scopeA, episodes({ A: failed(3, 2) }), { divergence: true }).flat()).toEqual([1]);
  expect(advantages(scopeA, episodes({ C: solved(7), D: solved(7) }), { imitation: 0.5 }).flat()).toEqual([0.5, 0.5]);
});

test("perplexities are of whole trajectories, and a temperature draws weights together", () => {
  const batch = episodes({
    C: { outcome: 1, steps: [token(1), token(1)] },
    D: { outcome: 1, steps: [token(1), token(10_000)] },
  });
  // Perplexities 1 and 100, mean 50.5; at temperature 2 they are 1 and 10, mean 5.5.
  expect(advantages(scopeA, batch).flat()).toEqual([0.019802, 0.019802, 1.980198, 1.980198]);
  expect(advantages(scopeA, batch, { temperature: 2 }).flat()).toEqual([0.181818, 0.181818, 1.818182, 1.818182]);
});

interface PublishedGroup {
  readonly temperature: number;
  readonly correct: readonly boolean[];
  readonly student: readonly (readonly number[])[];
  readonly teacher: readonly (readonly number[])[];
  readonly weights: readonly number[];
}

test.each(published<PublishedGroup>("scope-a").cases)("as published: temperature $temperature, $correct", (given) => {
  const batch = episodes(
    Object.fromEntries(
      given.correct.map((correct, at) => {
        const [old = [], teacher = []] = [given.student[at], given.teacher[at]];
        const logprobs = { old, ...(correct ? {} : { episodeTeacher: teacher }) };
        return [`R${at}`, { outcome: Number(correct), steps: [{ mask: old.map(() => 1), logprobs }] }];
      }),
    ),
  );
  const found = advantages(scopeA, batch, { divergence: true, temperature: given.temperature });
  for (const [at, weight] of given.weights.entries()) expect(found[at]?.[0]).toBeCloseTo(weight, 5);
});

test("cut off counts as failed, and failed without a teacher learns nothing", () => {
  const cut = { outcome: 1, steps: [token(2, undefined, { truncated: true })] };
  const { metrics, advantages: found, dropped } = assign(scopeA, episodes({ A: cut, C: solved(2) }));
  expect(dropped).toEqual([0]);
  expect(found.map(([first]) => first)).toEqual([0, 1]);
  expect([metrics["solved"], metrics["corrected"], metrics["untaughtRows"]]).toEqual([1, 0, 2]);
});
