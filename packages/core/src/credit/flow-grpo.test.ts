import { expect, test } from "vitest";
import { assign, episodes, plainSteps, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { flowGrpo } from "./flow-grpo.ts";

test("all turns of a task are one group", () => {
  // 1, 1, 0, 0, 0: mean 0.4, squares 1.2, / 4, std 0.547723.
  const batch = episodes({ X: { outcome: 1, steps: plainSteps(2) }, Y: { outcome: 0, steps: plainSteps(3) } });
  expect(rowAdvantages(flowGrpo, batch)).toEqual([1.095443, 1.095443, -0.730295, -0.730295, -0.730295]);
});

test("too long a prompt is dropped after it has counted", () => {
  const batch = episodes({
    X: { outcome: 1, steps: [{ signals: { promptTokens: 5 } }, { signals: { promptTokens: 50 } }] },
    Y: {
      outcome: 0,
      steps: [{ signals: { promptTokens: 5 } }, { signals: { promptTokens: 5 } }, { signals: { promptTokens: 5 } }],
    },
  });
  const { dropped } = assign(flowGrpo, batch, { maxPromptTokens: 10 });
  expect(dropped).toEqual([1]);
  expect(rowAdvantages(flowGrpo, batch, { maxPromptTokens: 10 })).toEqual([
    1.095443, 0, -0.730295, -0.730295, -0.730295,
  ]);
});

test("the limit needs lengths", () => {
  const batch = episodes({ X: { outcome: 1, steps: plainSteps(1) } });
  expect(() => rowAdvantages(flowGrpo, batch, { maxPromptTokens: 10 })).toThrow(/signals.promptTokens/);
  expect(rowAdvantages(flowGrpo, batch)).toEqual([0.999999]);
});

publishedCredit("flow-grpo", flowGrpo);
