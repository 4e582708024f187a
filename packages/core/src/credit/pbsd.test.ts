import { expect, test } from "vitest";
import { episodes, rowAdvantages } from "../../../../test/support/credit.ts";
import type { CreditRow } from "./credit.ts";
import { pbsd, turnEvidence } from "./pbsd.ts";

const turn = (evidence: number) => ({ logprobs: { old: [-1], answerTeacher: [-1 + evidence] } });
const raw = { normByStd: false };
const rollout = (outcome: number) => episodes({ X: { outcome, steps: [0.5, -0.2, 0.1].map(turn) } });

test("turns share the outcome by their evidence", () => {
  // exp(0.5), exp(-0.2), exp(0.1): 1.648721, 0.818731, 1.105171; sum 3.572623. 3 / 3.572623 * 0.8 = 0.671769.
  expect(rowAdvantages(pbsd, rollout(0.8), raw)).toEqual([1.10757, 0.550003, 0.742427]);
  // Signs turned: exp(-0.5), exp(0.2), exp(-0.1): 0.606531, 1.221403, 0.904837; sum 2.732771.
  expect(rowAdvantages(pbsd, rollout(-0.8), raw)).toEqual([-0.532673, -1.072672, -0.794655]);
});

test("one turn, no outcome and no answer change nothing", () => {
  expect(rowAdvantages(pbsd, episodes({ X: { outcome: 0.8, steps: [turn(2)] } }), raw)).toEqual([0.8]);
  expect(rowAdvantages(pbsd, rollout(0), raw)).toEqual([0, 0, 0]);
  const unknown = { gold: null, logprobs: { old: [-1] } };
  expect(rowAdvantages(pbsd, episodes({ X: { outcome: 0.8, steps: [unknown, unknown] } }), raw)).toEqual([0.8, 0.8]);
});

test("evidence is held within the clamp, and may be counted by token", () => {
  // 50 and 0 held at 5 and 0: weights 2 * 0.993307 and 2 * 0.006693.
  const far = episodes({ X: { outcome: 1, steps: [turn(50), turn(0)] } });
  expect(rowAdvantages(pbsd, far, raw)).toEqual([1.986614, 0.013386]);
  const long = episodes({
    X: { outcome: 1, steps: [{ mask: [1, 1], logprobs: { old: [0, 0], answerTeacher: [1, 1] } }, turn(1)] },
  });
  expect(rowAdvantages(pbsd, long, { ...raw, perToken: true })).toEqual([1, 1]);
});

test("a turn's evidence is the exact change of the posterior, in a world that can be counted out", () => {
  // Hidden answers a and b, prior 0.3 and 0.7. Two turns of two words each; p(word | answer, words before) is given.
  const prior = [0.3, 0.7];
  const words = [
    [0.8, 0.4],
    [0.25, 0.6],
  ] as const;
  // p(first word 1 | answer), then p(second word 1 | answer, first): depends on both.
  const first = (answer: number, word: number): number => (word === 1 ? words[0][answer]! : 1 - words[0][answer]!);
  const second = (answer: number, before: number, word: number): number => {
    const one = words[1][(answer + before) % 2]!;
    return word === 1 ? one : 1 - one;
  };
  for (const [one, two] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ] as const) {
    // The policy that does not know the answer: a mixture over answers, by Bayes.
    const joint = prior.map((weight, answer) => weight * first(answer, one));
    const firstMarginal = joint[0]! + joint[1]!;
    const afterFirst = joint.map((weight) => weight / firstMarginal);
    const secondMarginal = afterFirst.reduce((sum, weight, answer) => sum + weight * second(answer, one, two), 0);
    for (const answer of [0, 1]) {
      const row = (old: number, taught: number): CreditRow => ({
        task: "t",
        trajectory: "X",
        step: 0,
        valid: true,
        mask: Uint8Array.of(1),
        logprobs: { old: Float64Array.of(Math.log(old)), answerTeacher: Float64Array.of(Math.log(taught)) },
      });
      const evidence = [
        turnEvidence(row(firstMarginal, first(answer, one))),
        turnEvidence(row(secondMarginal, second(answer, one, two))),
      ];
      const posterior = (afterFirst[answer]! * second(answer, one, two)) / secondMarginal;
      expect(evidence[0]).toBeCloseTo(Math.log(afterFirst[answer]! / prior[answer]!), 12);
      expect(evidence[0]! + evidence[1]!).toBeCloseTo(Math.log(posterior / prior[answer]!), 12);
    }
  }
});
