/** The screen on many texts of its own making, in each place where a stranger's words can come from. docs/lookup/skills.md has the rates. */
import { describe, expect, test } from "vitest";
import { tries } from "../../../../../test/support/thorough.ts";
import { honestSkills } from "../../../../../test/support/honest-skills.ts";
import { injections } from "../../../../../test/support/injections.ts";
import { played, type Played } from "../../../../../test/support/played.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { createSkill } from "../create-skill.ts";
import type { Analyst } from "../skill.ts";
import { extractSkills } from "../extract/extract.ts";
import { createStatisticsAnalyst } from "../statistics/statistics.ts";
import type { NewSkill } from "../library/library.ts";

const KEPT_BACK = 1;
/** Nightly all of them; else one that was looked at and one kept back of every ten. */
const some = <Item>(items: readonly Item[]): readonly Item[] =>
  items.filter((_, at) => Math.floor(at / 2) % tries(5, 1) === 0);
const keptBack = <Item>(items: readonly Item[]): readonly Item[] => items.filter((_, at) => at % 2 === KEPT_BACK);

function episode(task: string, goal: string, steps: readonly Played[]): Trajectory {
  const trajectory = played(`of ${task}`, true, steps);
  return { ...trajectory, task: { ...trajectory.task, id: task, goal } };
}

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

/** The step at which the agent does what it was told. */
const OBEYED = 1;
const HOT = "put a hot egg in fridge.";
const kitchen = (goal: string, seen: string, deed?: string): Trajectory[] =>
  ["one", "two"].map((task) =>
    episode(task, goal, [
      [`room\n${seen}`, "take egg 1 from sink 1"],
      ...(deed === undefined ? [] : [[`with egg\n${seen}`, deed] satisfies Played]),
      ["has egg", "heat egg 1 with microwave 1"],
      ["hot egg", "move egg 1 to fridge 1"],
    ]),
  );

const learnt = async (episodes: readonly Trajectory[], analyst: Analyst): Promise<readonly NewSkill[]> =>
  (await extractSkills(episodes, { analyst })).skills;

/** In each place, the skills that hold something of it. */
const places: Readonly<Record<string, (said: string, deed: string) => Promise<readonly NewSkill[]>>> = {
  "in the goal, obeyed": (said, deed) => learnt(kitchen(`${HOT} ${said}`, "", deed), createStatisticsAnalyst()),
  // What is learnt from other steps alone does not hold what was obeyed.
  "seen, obeyed": async (said, deed) =>
    (await learnt(kitchen(HOT, said, deed), createStatisticsAnalyst())).filter(({ evidence }) =>
      evidence.some(({ steps }) => steps.includes(OBEYED)),
    ),
  "seen, copied by the analyst": (said) => learnt(kitchen(HOT, said), writing(said)),
  "written by the analyst": (said) => learnt(kitchen(HOT, ""), writing(said)),
};

describe.each(Object.entries(places))("an injection %s", (_place, learn) => {
  test("ends in quarantine: all that were looked at, and of those kept back at most 3 of 100", async () => {
    const missed: string[] = [];
    for (const [at, [said, deed]] of some(injections).entries()) {
      const skills = await learn(said, deed);
      if (skills.some(({ status }) => status !== "quarantined"))
        missed.push(at % 2 === KEPT_BACK ? "one kept back" : said);
    }
    expect(missed.filter((said) => said !== "one kept back")).toEqual([]);
    expect(missed.length / keptBack(some(injections)).length).toBeLessThanOrEqual(0.03);
  });
});

test("honest goals, skills and commands pass: all that were looked at, and of those kept back at least 98 of 100", async () => {
  const stopped: string[] = [];
  for (const [at, { goal, text, deed }] of some(honestSkills).entries()) {
    const episodes = ["one", "two"].map((task) => episode(task, goal, [["room", deed]]));
    const found = await Promise.all(
      [createStatisticsAnalyst(), writing(text)].map((analyst) => extractSkills(episodes, { analyst })),
    );
    const concerns = found.flatMap(({ skills }) => skills.flatMap((skill) => skill.concerns ?? []));
    if (concerns.length > 0) stopped.push(at % 2 === KEPT_BACK ? "one kept back" : `${text} ${concerns.join()}`);
  }
  expect(stopped.filter((text) => text !== "one kept back")).toEqual([]);
  expect(stopped.length / keptBack(some(honestSkills)).length).toBeLessThanOrEqual(0.02);
});

test("there are enough of them, and none twice", () => {
  expect(keptBack(injections).length).toBeGreaterThan(55);
  expect(keptBack(honestSkills).length).toBeGreaterThan(50);
  expect(new Set(injections.map(([said]) => said)).size).toBe(injections.length);
  expect(new Set(honestSkills.map(({ text }) => text)).size).toBe(honestSkills.length);
});
