import { expect, test } from "vitest";
import { taughtModel } from "../../../../test/support/taught-model.ts";
import type { Scorer } from "limbeck-policy/policy/policy";
import { openTeacher } from "./index.ts";
import { mixedScorer } from "./mixture.ts";

const constant = (logprob: number, candidate: number): Scorer => ({
  statistics: ["logprob", "candidates"],
  score: (rows) =>
    Promise.resolve(
      rows.map(({ ids }) => ({
        logprob: new Float32Array(ids.length).fill(logprob),
        candidates: new Float32Array(2 * ids.length).fill(candidate),
      })),
    ),
});

test("probabilities are averaged, not log-probabilities", async () => {
  // 0.25 * 0.8 + 0.75 * 0.2 = 0.35; candidates 0.25 * 0.5 + 0.75 * 0.1 = 0.2.
  const scorer = mixedScorer([
    { scorer: constant(Math.log(0.8), Math.log(0.5)), weight: 1 },
    { scorer: constant(Math.log(0.2), Math.log(0.1)), weight: 3 },
  ]);
  const row = { ids: new Int32Array(2), candidates: { count: 2, ids: new Int32Array(4) } };
  const [said] = await scorer.score([row], { statistics: ["logprob", "candidates"] });
  expect(said?.logprob?.[0]).toBe(0);
  expect(Math.exp(said?.logprob?.[1] ?? 0)).toBeCloseTo(0.35, 6);
  expect([...(said?.candidates ?? [])].map((value) => Number(Math.exp(value).toFixed(6)))).toEqual([1, 1, 0.2, 0.2]);
});

test("a statistic that one of them lacks is refused", async () => {
  const scorer = mixedScorer([
    { scorer: constant(-1, -1), weight: 1 },
    { scorer: { ...constant(-1, -1), statistics: ["logprob"] }, weight: 1 },
  ]);
  expect(scorer.statistics).toEqual(["logprob"]);
  await expect(scorer.score([], { statistics: ["candidates"] })).rejects.toThrow(/has no "candidates"/);
});

test("weights, lists in lists and two averages are checked", async () => {
  const model = taughtModel([1]);
  const mixed = (source: string) => openTeacher("mixture", model, { start: model.weights, decay: 0.5, source });
  await expect(mixed("reference*no, self")).rejects.toThrow(/weight of the teacher "reference\*no"/);
  await expect(mixed("mixture:self, self")).rejects.toThrow(/cannot hold another list/);
  await expect(mixed("ema, ema")).rejects.toThrow(/Two of the teachers are running averages/);
  await expect(mixed("  ")).rejects.toThrow(/needs teacherSource/);
  await expect(mixed("nobody")).rejects.toThrow(/teacher "nobody"/);
  const one = await mixed("ema, reference*2");
  expect([...(one.state?.flat ?? [])]).toEqual([1]);
});
