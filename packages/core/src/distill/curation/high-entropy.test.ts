import fc from "fast-check";
import { expect, test } from "vitest";
import { highEntropySteps } from "./high-entropy.ts";

const steps = (group: string, ...entropies: readonly (number | undefined)[]) =>
  entropies.map((entropy) => ({ group, entropy }));

test("of every group the share with the highest entropy, at least one", () => {
  const given = [...steps("a", 0.1, 0.9, 0.5, 0.3), ...steps("b", 2, 1)];
  // Half of four are the second and third, half of two is the first.
  expect([...highEntropySteps(given, 0.5)]).toEqual([1, 2, 4]);
  expect([...highEntropySteps(given, 0)]).toEqual([1, 4]);
  expect(highEntropySteps(given, 1).size).toBe(6);
});

test("equals at the border are all kept, and a step without tokens never is", () => {
  expect([...highEntropySteps(steps("a", 1, undefined, 1, 0), 0.3)]).toEqual([0, 2]);
  expect(highEntropySteps(steps("a", undefined), 1).size).toBe(0);
});

test("what is kept is never less unsure than what is not", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 9 }), { minLength: 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (all, share) => {
        const kept = highEntropySteps(steps("a", ...all), share);
        const [inside, outside] = [all.filter((_, at) => kept.has(at)), all.filter((_, at) => !kept.has(at))];
        expect(kept.size).toBeGreaterThanOrEqual(Math.max(1, Math.ceil(share * all.length)));
        expect(Math.min(...inside)).toBeGreaterThanOrEqual(Math.max(...outside, -1));
      },
    ),
  );
});
