import { expect, test } from "vitest";
import { answers, assign, episodes, rowAdvantages, together } from "../../../../test/support/credit.ts";
import { published } from "../../../../test/support/published.ts";
import { tablemind } from "./tablemind.ts";

const said = (...logprobs: number[]) => logprobs.map((logprob) => ({ logprobs: { old: [logprob] } }));

test("both sides by the share of their pairs that are not clear", () => {
  // 1, 0, 0: mean 1/3, std 0.577350. Right -0.9 beside -0.2 and -1.5: distances -0.7 and 0.6, margin 0.5, one of two unclear.
  // Right: 1.154699 * 1.05 = 1.212433. First wrong: -0.577349 * 1.1 = -0.635084. Second: as it is.
  const batch = answers([1, 0, 0], said(-0.9, -0.2, -1.5));
  expect(rowAdvantages(tablemind, batch)).toEqual([1.212433, -0.635084, -0.577349]);
  expect(assign(tablemind, batch).metrics["misranked"]).toBe(1.5);
  // A factor of 1.5: 1.1546985 * 1.25, -0.577349 * 1.5.
  expect(rowAdvantages(tablemind, batch, { factor: 1.5 })).toEqual([1.443373, -0.866024, -0.577349]);
});

test("where the right one is clearly likelier, or all are on one side, nothing changes", () => {
  const plain = [1.154699, -0.577349, -0.577349];
  expect(rowAdvantages(tablemind, answers([1, 0, 0], said(-0.1, -0.7, -1.5)))).toEqual(plain);
  const all = answers([1, 0.6], said(-0.9, -0.1));
  expect(rowAdvantages(tablemind, all)).toEqual(rowAdvantages(tablemind, all, { factor: 1 }));
  expect(rowAdvantages(tablemind, answers([1], said(-0.9)))).toEqual([0]);
});

interface TablemindCase {
  readonly options: { readonly margin?: number; readonly alpha?: number; readonly reward_threshold?: number };
  readonly tasks: readonly number[];
  readonly outcomes: readonly number[];
  readonly logprobs: readonly (readonly number[])[];
  readonly advantages: readonly number[];
}

test("advantages are those of the published code", () => {
  const { cases } = published<TablemindCase>("tablemind");
  expect(cases.length).toBeGreaterThan(10);
  for (const { options, tasks, outcomes, logprobs, advantages } of cases) {
    const parts = logprobs.map((old, at) =>
      episodes(
        { [`t${at}`]: { outcome: outcomes[at] as number, steps: [{ mask: old.map(() => 1), logprobs: { old } }] } },
        `task ${tasks[at]}`,
      ),
    );
    const { margin = 0.5, alpha = 0.1, reward_threshold: threshold = 1 } = options;
    const found = rowAdvantages(tablemind, together(...parts), { margin, threshold, factor: 1 + alpha });
    expect(found).toHaveLength(advantages.length);
    for (const [at, value] of found.entries()) expect(value).toBeCloseTo(advantages[at] as number, 5);
  }
});
