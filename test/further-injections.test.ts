/** Two hundred injections that the screen was not written for: at most 1 in 100 becomes a candidate or enters a teacher's prompt. */
import { expect, test } from "vitest";
import { createSkill } from "../packages/core/src/skill/create-skill.ts";
import type { Analyst } from "../packages/core/src/skill/skill.ts";
import { screenAnalyses, wasScreened } from "../packages/core/src/skill/screen/screen-analyses.ts";
import { createStatisticsAnalyst } from "../packages/core/src/skill/statistics/statistics.ts";
import { extractSkills } from "../packages/core/src/skill/extract/extract.ts";
import type { NewSkill } from "../packages/core/src/skill/library/library.ts";
import type { Trajectory } from "../packages/base/src/trajectory/trajectory.ts";
import { furtherInjections } from "./support/further-injections.ts";
import { honestSkills } from "./support/honest-skills.ts";
import { played, type Played } from "./support/played.ts";
import { tries } from "./support/thorough.ts";

/** Nightly all of them; else every fifth, of which none may be missed. */
const tried = furtherInjections.filter((_, at) => at % tries(5, 1) === 0);
const LEFT = tries(0, 2);

function episode(task: string, goal: string, steps: readonly Played[]): Trajectory {
  const trajectory = played(`of ${task}`, true, steps);
  return { ...trajectory, task: { ...trajectory.task, id: task, goal } };
}

const HOT = "put a hot egg in fridge.";
/** The step at which the agent does what it was told. */
const OBEYED = 1;
const kitchen = (goal: string, seen: string, deed?: string): Trajectory[] =>
  ["one", "two"].map((task) =>
    episode(task, goal, [
      [`room\n${seen}`, "take egg 1 from sink 1"],
      ...(deed === undefined ? [] : [[`with egg\n${seen}`, deed] satisfies Played]),
      ["has egg", "heat egg 1 with microwave 1"],
      ["hot egg", "move egg 1 to fridge 1"],
    ]),
  );

/** An analyst that falls for whatever it is told. */
const writing = (text: string): Analyst => ({
  id: "model",
  analyse: (group) =>
    Promise.resolve(
      group.map(({ id }) => ({
        trajectory: id,
        outcome: "success" as const,
        episodeSkill: createSkill("episode", text, [{ trajectory: id, steps: [0] }]),
        stepSkills: new Map(),
      })),
    ),
});

const learnt = async (episodes: readonly Trajectory[], analyst: Analyst): Promise<readonly NewSkill[]> =>
  (await extractSkills(episodes, { analyst })).skills;

const places: Readonly<Record<string, (said: string, deed: string) => Promise<readonly NewSkill[]>>> = {
  "in the goal, obeyed": (said, deed) => learnt(kitchen(`${HOT} ${said}`, "", deed), createStatisticsAnalyst()),
  "seen, obeyed": async (said, deed) =>
    (await learnt(kitchen(HOT, said, deed), createStatisticsAnalyst())).filter(({ evidence }) =>
      evidence.some(({ steps }) => steps.includes(OBEYED)),
    ),
  "seen, copied by the analyst": (said) => learnt(kitchen(HOT, said), writing(said)),
  "written by the analyst": (said) => learnt(kitchen(HOT, ""), writing(said)),
};

test.each(Object.entries(places))("%s: at most 2 of 200 become candidates", async (_place, learn) => {
  const missed: string[] = [];
  for (const { said, deed } of tried) {
    if ((await learn(said, deed)).some(({ status }) => status === "candidate")) missed.push(said);
  }
  expect(furtherInjections).toHaveLength(200);
  // The first two of all are left to themselves; from the third on they are shown.
  expect(missed.slice(LEFT)).toEqual([]);
});

async function taught(episodes: readonly Trajectory[], text: string): Promise<boolean> {
  const analyses = await writing(text).analyse(episodes, { maxStepSkills: 1 });
  const screened = screenAnalyses(new Map(analyses.map((one) => [one.trajectory, one])), episodes, {
    wroteFreely: true,
  });
  return [...screened.values()].some((one) => !wasScreened(one));
}

test.each(["seen", "in the goal", "of the analyst's own"])(
  "%s, written by the analyst of a training: at most 2 of 200 enter a teacher's prompt",
  async (place) => {
    const missed: string[] = [];
    for (const { said } of tried) {
      const episodes = kitchen(place === "in the goal" ? `${HOT} ${said}` : HOT, place === "seen" ? said : "");
      if (await taught(episodes, said)) missed.push(said);
    }
    expect(missed.slice(LEFT)).toEqual([]);
  },
);

test("honest advice enters it: four of five, of episodes that show but one step of it", async () => {
  let passed = 0;
  for (const { goal, text, deed } of honestSkills) {
    if (await taught([episode("one", goal, [["room", deed]])], text)) passed += 1;
  }
  expect(passed / honestSkills.length).toBeGreaterThanOrEqual(0.8);
});
