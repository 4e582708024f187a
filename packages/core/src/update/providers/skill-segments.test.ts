import { expect, test } from "vitest";
import { corridorEpisodes } from "../../../../../test/support/recipe-bench.ts";
import { batchFromTrajectories } from "../../credit/from-trajectories.ts";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { UpdateContext } from "../context.ts";
import { skillSegments } from "./skill-segments.ts";

const options = { selectionWeight: 0.3, distilWeight: 0.3, baseline: "max" } as const;
const candidates = [0.4, 0.3, 0.1].map((utility, at) => ({ id: at + 1, utility }));
const note = (skill1: JsonObject): JsonObject => ({ skill1 });

/** A real episode whose first steps are said to have asked and chosen, and whose last to have written. */
async function visited(success: boolean): Promise<Trajectory> {
  const episode = (await corridorEpisodes("one")).find(
    (one) => one.success === success && one.steps.length >= 4,
  ) as Trajectory;
  const notes: readonly (JsonObject | undefined)[] = [
    note({ segment: "query" }),
    note({ segment: "select", candidates, chosen: 1, utility: 0.4 }),
    ...episode.steps.slice(3).map(() => undefined),
    note({ segment: "write", written: { scenario: "s", text: "t" } }),
  ];
  const steps = episode.steps.map((step, at) => ({ ...step, ...(notes[at] === undefined ? {} : { info: notes[at] }) }));
  return { ...episode, steps };
}

test.each([
  // The worked numbers: U 0.4 gives selection 0.12; candidates 0.4, 0.3, 0.1 give 0.3 (1 - 0.4) = 0.18 and 0.3 (0 - 0.4) = -0.12.
  { success: true, act: 1, write: 0.18 },
  { success: false, act: 0, write: -0.12 },
])(
  "selection by the trend, acting by the outcome, writing by what went beyond: $success",
  async ({ success, act, write }) => {
    const episode = await visited(success);
    const { batch, metrics } = await skillSegments.provide(
      batchFromTrajectories([episode]),
      [episode],
      {} as UpdateContext,
      options,
    );
    const found = batch.rows.map(({ signals }) => signals?.segment);
    const acting = Array.from({ length: found.length - 3 }, () => ({ name: "utilisation", score: act }));
    expect(found.map((one) => one?.name)).toEqual([
      "selection",
      "selection",
      ...acting.map(({ name }) => name),
      "distillation",
    ]);
    expect(found[0]?.score).toBeCloseTo(0.12, 12);
    expect(found[1]?.score).toBeCloseTo(0.12, 12);
    expect(found.slice(2, -1)).toEqual(acting);
    expect(found.at(-1)?.score).toBeCloseTo(write, 12);
    expect(metrics).toEqual({ chosen: 1, written: 1, chosenUtility: 0.4 });
  },
);

test("episodes of other worlds are acting throughout", async () => {
  const episodes = await corridorEpisodes("one");
  const { batch, metrics } = await skillSegments.provide(
    batchFromTrajectories(episodes),
    episodes,
    {} as UpdateContext,
    options,
  );
  expect(new Set(batch.rows.map(({ signals }) => signals?.segment?.name))).toEqual(new Set(["utilisation"]));
  expect(metrics).toEqual({ chosen: 0, written: 0 });
});
