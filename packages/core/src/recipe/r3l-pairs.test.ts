import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import {
  marginsAfter,
  pairedRows,
  trainedText,
  watchRecipe,
  wholeText,
} from "../../../../test/support/recipe-walks.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";

const collect = () => strategyEpisodes("r3l-pairs");

recipeContract("r3l-pairs", { collect });

test("a retry that arrived is preferred to its failed attempt from the pivot on, as if nobody had advised it", async () => {
  const { record, first, model } = await watchRecipe("r3l-pairs", { collect });
  const episodes = new Map(record.episodes.map((one) => [one.id, one]));
  const arrived = record.episodes.filter(({ info, success }) => info?.["guidance"] !== undefined && success === true);
  const pairs = pairedRows(first);
  expect(arrived.length).toBeGreaterThan(1);
  const preferred = [...pairs.values()].map(([chosen]) => chosen.trajectory);
  expect(new Set(preferred)).toEqual(new Set(arrived.map(({ id }) => id)));
  expect(preferred).toHaveLength(arrived.length);
  for (const [chosen, rejected] of pairs.values()) {
    const retry = episodes.get(chosen.trajectory ?? "");
    expect([chosen.rank, rejected.rank]).toEqual([1, 0]);
    expect(rejected.trajectory).toBe(retry?.parent?.trajectory);
    expect(episodes.get(rejected.trajectory ?? "")?.success).toBe(false);
    // Both have read the same up to the pivot, exact to the token, and the advice is nowhere in it.
    const pivot = chosen.mask.indexOf(1);
    expect(rejected.mask.indexOf(1)).toBe(pivot);
    expect(chosen.ids.subarray(0, pivot)).toEqual(rejected.ids.subarray(0, pivot));
    const advice = retry?.info?.["guidance"] as string;
    expect(retry?.steps[0]?.prompt).toContain(advice);
    for (const row of [chosen, rejected]) expect(wholeText(row)).not.toContain(advice);
    const attempt = episodes.get(rejected.trajectory ?? "");
    const said = (own: typeof attempt, from: number): string =>
      (own?.steps ?? []).map(({ index, action }) => (index < from ? "" : `${action}\n`)).join("");
    expect(trainedText(chosen)).toBe(said(retry, 0));
    expect(trainedText(rejected)).toBe(said(attempt, retry?.parent?.step ?? 0));
  }
  const margins = Object.values(await marginsAfter(model, first));
  expect(margins).toHaveLength(arrived.length);
  expect(Math.min(...margins)).toBeGreaterThan(0);
  await model.close();
});
