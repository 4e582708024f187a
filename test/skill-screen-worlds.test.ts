/** Honest episodes of the worlds pass the screen: as skills, as analyses of a training, and as other contexts of a teacher. */
import { expect, test } from "vitest";
import { resolveOptions } from "../packages/base/src/base/options.ts";
import { contextOptionTable } from "../packages/core/src/distill/contexts/context.ts";
import { getContext } from "../packages/core/src/distill/contexts/index.ts";
import { getWorld } from "../packages/worlds/src/index.ts";
import { analyseEpisodes } from "../packages/core/src/update/analyse-episodes.ts";
import { extractSkills } from "../packages/core/src/skill/extract/extract.ts";
import { screenAnalyses, wasScreened } from "../packages/core/src/skill/screen/screen-analyses.ts";
import type { Analysis } from "../packages/core/src/skill/skill.ts";
import { createStatisticsAnalyst } from "../packages/core/src/skill/statistics/statistics.ts";
import type { Trajectory } from "../packages/base/src/trajectory/trajectory.ts";
import { play } from "./support/honest-runs.ts";
import { tries } from "./support/thorough.ts";

const stopped = (analyses: ReadonlyMap<string, Analysis>): unknown[] =>
  [...analyses.values()].filter(wasScreened).map(({ error }) => error?.message);

const isLoneSuccess = ({ id, group, success, steps }: Trajectory, all: readonly Trajectory[]): boolean =>
  success === true &&
  steps.every(({ valid }) => valid) &&
  !all.some((one) => one.group === group && one.id !== id && one.success === true);

const worlds = ["household", "shop", "research", "tools", "countdown", "draft", "emit", "talk", "ledger"];

test.each(worlds)("%s", async (name) => {
  const world = await getWorld(name);
  const who = Object.values(world.demonstrators ?? {});
  const episodes = await play(await world.create({}), { seed: 1, tasks: tries(4, 12), groupSize: 4, who });
  const analyst = createStatisticsAnalyst();
  expect(stopped(await analyseEpisodes(analyst, episodes, { maxStepSkills: 5 }))).toEqual([]);
  for (const context of ["feedback", "future-observations"]) {
    const nobody = (): Promise<never> => Promise.reject(new Error("nobody is asked"));
    const options = resolveOptions(contextOptionTable, {}, "the context");
    const told = await getContext(context).prepare(episodes, { solve: nobody, analyse: nobody }, options, episodes);
    const analyses = told.kind === "told" ? told.analyses : new Map<string, Analysis>();
    // Who alone succeeded, and was refused nothing, has no feedback.
    const untold = context === "feedback" ? episodes.filter((one) => isLoneSuccess(one, episodes)) : [];
    expect(analyses.size).toBe(episodes.length - untold.length);
    expect(stopped(screenAnalyses(analyses, episodes, { wroteFreely: false }))).toEqual([]);
  }
  const { skills } = await extractSkills(episodes, { analyst });
  expect(skills.flatMap(({ concerns = [] }) => concerns)).toEqual([]);
});
