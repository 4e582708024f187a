import { expect, test } from "vitest";
import { corridorEpisodes, smallModel } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { asSaidBy, boldTeacher, near, stepValues, sum, watchRecipe } from "../../../../test/support/recipe-walks.ts";

recipeContract("iw-opd");

/** Of each episode what the teacher thinks of each token more than the policy did, step by step, beside its credit. */
async function shiftsAndCredits(given: Readonly<Record<string, unknown>>) {
  const model = await smallModel();
  const collect = async () => await asSaidBy(model, (await corridorEpisodes("one")).slice(0, 6));
  const { record, first } = await watchRecipe("iw-opd", { model, teacher: boldTeacher(model), collect, given });
  const credits = stepValues(record.episodes, first.rows);
  const found = record.episodes.map(({ id, steps, streams }) => ({
    shifts: steps.map(({ index, span }) => {
      const opinion = record.taught?.opinions.get(id)?.get(index);
      const teacher = [...(opinion?.step ?? opinion?.episode ?? [])];
      return teacher.map((one, at) => one - (streams[0]?.logprobs?.[(span?.start ?? 0) + at] ?? Number.NaN));
    }),
    credits: credits[id],
  }));
  await model.close();
  return found;
}

/** (1.5 - 0.5 * what the tokens before have strayed / what all have) of each token. */
function weighed(shifts: readonly number[]): number[] {
  const strayed = shifts.map(Math.abs);
  return shifts.map((shift, at) => (1.5 - (0.5 * sum(strayed.slice(0, at))) / sum(strayed)) * shift);
}

test("a token's credit is the teacher's shift, less of it the further the episode had strayed before", async () => {
  const found = await shiftsAndCredits({});
  expect(found).toHaveLength(6);
  for (const { shifts, credits } of found) {
    // The very first token has half as much again as its shift.
    expect(credits?.[0]?.[0]).toBeCloseTo(1.5 * (shifts[0]?.[0] ?? Number.NaN), 6);
    expect(credits?.flat()).toEqual(near(weighed(shifts.flat()), 6));
    expect(new Set(credits?.flat().map(Math.sign)).size).toBeGreaterThan(1);
  }
});

test("counted by step, every answer begins anew", async () => {
  for (const { shifts, credits } of await shiftsAndCredits({ "credit.over": "step" })) {
    expect(credits).toEqual(shifts.map((own) => near(weighed(own), 6)));
  }
});
