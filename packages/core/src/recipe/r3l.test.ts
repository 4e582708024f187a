import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { stepValues, trainedText, watchRecipe, wholeText } from "../../../../test/support/recipe-walks.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";
import { tries } from "../../../../test/support/thorough.ts";
import { objectives } from "../objective/registry.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { reflectionLessons, retryLessons } from "./r3l.ts";

const collect = () => strategyEpisodes("r3l");
const worthOf = ({ info }: Trajectory): unknown => (info?.["retry"] as { worth?: number } | undefined)?.worth;

const adviceIn = (info: Trajectory["info"]): string => {
  const { guidance = "" } = (info ?? {}) as { readonly guidance?: string };
  return guidance;
};

recipeContract("r3l", { collect });

test("what an attempt and its retry share is not trained, and in no mean, with every seed", async () => {
  const objective = objectives["policy-gradient"].create({ tau: 1, ratio: false });
  let [shared, sharedTokens, own] = [0, 0, 0];
  for (const seed of ["one", "two", "three", "four"].slice(0, tries(2, 4))) {
    const { first, record, model } = await watchRecipe("r3l", { collect: () => strategyEpisodes("r3l", {}, seed) });
    const pivots = new Map(record.episodes.flatMap(({ parent }) => (parent === undefined ? [] : [[parent.trajectory, parent.step]]))); // prettier-ignore
    for (const [id, steps] of Object.entries(stepValues(record.episodes, first.rows))) {
      const { steps: walked, parent } = record.episodes.find((one) => one.id === id) as Trajectory;
      const pivot = parent?.step ?? pivots.get(id) ?? 0;
      for (const [at, advantages] of steps.entries()) {
        const { slopes } = computeRows(objective, [{ now: advantages.map(() => -0.7), advantages }]);
        const moved = (slopes[0] ?? []).filter((slope) => slope !== 0).length;
        if ((walked[at]?.index ?? 0) < pivot) {
          shared += 1;
          sharedTokens += advantages.length;
        } else own += moved;
      }
    }
    await model.close();
  }
  // There was something to share, and what is not shared is learned from.
  expect(shared).toBeGreaterThan(0);
  expect(sharedTokens).toBe(0);
  expect(own).toBeGreaterThan(0);
});

test("a reflection is learned where its retry succeeded and improved, and only there", async () => {
  const { record, learned, model } = await watchRecipe("r3l", { collect });
  const worthy = record.episodes.filter((one) => worthOf(one) === 1);
  expect(worthy.length).toBeGreaterThan(0);
  expect(record.metrics).toMatchObject({ "retry/worthy": worthy.length, "lessons/reflections": worthy.length });
  const rows = learned.slice(1).flatMap((batch) => batch.rows);
  const texts = rows.map(trainedText).filter((text) => text.startsWith("{"));
  expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(
    worthy.map(({ parent, info }) => ({ step: parent?.step, guidance: adviceIn(info).trim() })),
  );
  // The guided retry is imitated beside it, in full, as published; a reflection has a tenth of that.
  const reflected = rows.filter((row) => trainedText(row).startsWith("{"));
  const weightsOf = (some: typeof rows): Set<number> =>
    new Set(
      some.flatMap(({ mask, weights }) =>
        [...mask.keys()].filter((at) => mask[at] === 1).map((at) => weights?.[at] ?? 1),
      ),
    );
  expect(weightsOf(reflected)).toEqual(new Set([0.1]));
  const imitated = rows.filter((row) => !trainedText(row).startsWith("{"));
  expect(imitated).toHaveLength(worthy.reduce((sum, { steps }) => sum + steps.length, 0));
  expect(weightsOf(imitated)).toEqual(new Set([1]));
  // Credit goes to what was read, with the guidance; imitated is what was said, without it.
  const shows = (row: Pick<TrainRow, "ids">): boolean =>
    worthy.some(({ info }) => wholeText(row).includes(adviceIn(info).trim()));
  const credited = (learned[0]?.rows ?? []).filter(({ trajectory }) => worthy.some(({ id }) => id === trajectory));
  expect(credited.map(shows)).toEqual(worthy.map(() => true));
  expect(imitated.some(shows)).toBe(false);
  await model.close();
});

test("where no retry succeeded no reflection is learned: the weights are those of a training without reflections", async () => {
  const unworthy = async () =>
    (await collect()).map(
      (one) =>
      worthOf(one) === undefined ? one : { ...one, info: { ...one.info, retry: { ...(one.info?.["retry"] as object), worth: 0 } } }, // prettier-ignore
    );
  expect(reflectionLessons(await unworthy())).toEqual([]);
  expect(retryLessons(await unworthy())).toEqual([]);
  const [with_, without] = [
    await watchRecipe("r3l", { collect: unworthy }),
    await watchRecipe("r3l", { collect: unworthy, given: { reflectionWeight: 0, retryWeight: 0 } }),
  ];
  expect(with_.record.metrics["lessons/reflections"]).toBe(0);
  expect(with_.learned).toHaveLength(1);
  expect(with_.model.weights.flat).toEqual(without.model.weights.flat);
  await Promise.all([with_.model.close(), without.model.close()]);
});
