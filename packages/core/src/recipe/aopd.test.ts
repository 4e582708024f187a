import { expect, test } from "vitest";
import { corridorEpisodes, smallModel } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { asSaidBy, boldTeacher, logprobsOf, near, sum, watchRecipe } from "../../../../test/support/recipe-walks.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Scorer } from "limbeck-policy/policy/policy";
import type { TrainRow } from "limbeck-policy/policy/objective";

recipeContract("aopd");

async function taught(given: Readonly<Record<string, unknown>> = {}) {
  const model = await smallModel();
  const collect = async () => await asSaidBy(model, await corridorEpisodes("one"));
  return await watchRecipe("aopd", { model, teacher: boldTeacher(model), collect, given });
}

interface Token {
  readonly row: number;
  readonly at: number;
  /** log teacher - log old of the word that was said. */
  readonly shift: number;
}

const tokensOf = (rows: readonly TrainRow[]): Token[] =>
  rows.flatMap(({ mask, teacherLogprobs, oldLogprobs }, row) =>
    [...mask.keys()]
      .filter((at) => mask[at] === 1)
      .map((at) => ({ row, at, shift: (teacherLogprobs?.[at] ?? Number.NaN) - (oldLogprobs?.[at] ?? Number.NaN) })),
  );

/** How far the policy is from the teacher on the 20 words that are shown, both brought to sum 1, at each of the tokens. */
async function distances(scorer: Scorer, rows: readonly TrainRow[], tokens: readonly Token[]): Promise<number[]> {
  const asked = rows.map(({ ids, mask, candidates }) => ({ ids, mask, ...(candidates && { candidates }) }));
  const now = await scorer.score(asked, { statistics: ["candidates"] });
  return tokens.map(({ row, at }) => {
    const part = (all: Float32Array | undefined): number[] => {
      const own = [...(all?.subarray(at * 20, (at + 1) * 20) ?? [])];
      const total = Math.log(sum(own.map(Math.exp)));
      return own.map((one) => one - total);
    };
    const [policy, teacher] = [part(now[row]?.candidates), part(rows[row]?.teacherCandidates)];
    return sum(teacher.map((one, word) => Math.exp(one) * (one - (policy[word] ?? Number.NaN))));
  });
}

test("words that the teacher likes more are reinforced by as much; at the others its own 20 words are shown", async () => {
  const { record, update, first, model } = await taught();
  const tokens = tokensOf(first.rows);
  const [liked, disliked] = [tokens.filter(({ shift }) => shift > 0), tokens.filter(({ shift }) => shift <= 0)];
  expect(Math.min(liked.length, disliked.length)).toBeGreaterThan(20);
  expect(record.metrics["loss/policy/positive"]).toBeCloseTo(liked.length / tokens.length, 9);
  const before = await distances(update.start, first.rows, disliked);
  // The ratio to the policy that said them is 1 before the first step.
  const losses = [...liked.map(({ shift }) => -shift), ...before];
  expect(first.report.loss).toBeCloseTo(mean(losses), 5);
  // Both come true: the liked words are likelier, weighed by how much they are liked, and elsewhere the distance falls.
  const after = await logprobsOf(model, first.rows);
  const rises = liked.map(({ row, at, shift }) => shift * ((after[row]?.[at] ?? 0) - (first.before[row]?.[at] ?? 0)));
  expect(mean(rises)).toBeGreaterThan(0);
  expect(mean(await distances(model, first.rows, disliked))).toBeLessThan(mean(before));
  await model.close();
});

test("without a divergence the disliked words count for nothing, and no reinforcement is larger than the most", async () => {
  const { first, model } = await taught({ divergenceWeight: 0, mostShift: 0.05 });
  const shifts = tokensOf(first.rows).map(({ shift }) => shift);
  expect(Math.max(...shifts)).toBeGreaterThan(0.05);
  expect([first.report.loss]).toEqual(near([mean(shifts.map((one) => -Math.min(0.05, Math.max(0, one))))], 6));
  await model.close();
});
