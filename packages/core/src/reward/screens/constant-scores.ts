/** Scores that are the same for everyone: a judge that no longer looks. */
import { option } from "limbeck-base/base/option";
import { byGroup } from "limbeck-base/trajectory/rows";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Group, Trajectory } from "limbeck-base/trajectory/trajectory";
import { readScore } from "../read-scores.ts";
import { defineScreen, severity, type Sighting } from "./screen.ts";

const JUDGES: ReadonlySet<string> = new Set(["reward:critics", "reward:rubric-judge", "reward:turn-judge"]);

export const constantScores = defineScreen({
  id: "constant-scores",
  info: {
    title: "Constant scores",
    meaning: "A reward that gives whole groups one score although their trajectories ended differently.",
    formula: [
      "looks at groups of two and more with both successes and failures; a group is blind when all its scores are equal",
      "speaks when minGroups such groups are there and minShare of them are blind",
      "or when every score of the batch is one number although minEach trajectories succeeded and minEach failed",
      "where nobody knows the successes: when all scores of minGroups groups of differing trajectories are one number",
    ],
  },
  options: {
    severity,
    names: option.list(["reward"], { kind: "text" }, "rewards to look at, beside those of judges"),
    minGroups: option.count(3, "with fewer groups that could differ it says nothing"),
    minEach: option.count(3, "successes, and failures, that a batch with one score must hold"),
    minShare: option.share(0.9, "share of blind groups that is too much"),
  },
  look: ({ trajectories }, options) => {
    const judges = trajectories.flatMap(({ rewards }) =>
      rewards.filter(({ source, step, name }) => JUDGES.has(source) && step === undefined && !name.includes(".")),
    );
    const groups = byGroup(trajectories);
    return [...new Set([...options.names, ...judges.map(({ name }) => name)])].flatMap((name) =>
      lookAt(name, groups, options),
    );
  },
});

interface ConstantOptions {
  readonly minGroups: number;
  readonly minEach: number;
  readonly minShare: number;
}

function lookAt(name: string, groups: readonly Group[], { minGroups, minEach, minShare }: ConstantOptions): Sighting[] {
  const values = (group: Group): number[] =>
    group.trajectories.flatMap((trajectory) => scoreValue(readScore(trajectory, name)) ?? []);
  const told = groups.filter((group) => values(group).length >= 2 && endsDiffer(group));
  const blind = told.filter((group) => equal(values(group)));
  if (told.length >= minGroups && blind.length >= minShare * told.length) {
    const message = `"${name}" gave one score to all of ${blind.length} of ${told.length} groups that hold successes and failures. It does not see the difference; look at who gives it.`;
    return [{ message, evidence: { name, groups: told.length, blind: blind.slice(0, 5).map(({ id }) => id) } }];
  }
  const whole = oneScoreForAll(name, groups, minEach);
  if (whole !== undefined) return [whole];
  const untold = groups.filter((group) => values(group).length >= 2 && unknown(group) && actionsDiffer(group));
  const all = untold.flatMap(values);
  if (told.length > 0 || untold.length < minGroups || !equal(all)) return [];
  const message = `"${name}" is ${all[0]} for all ${all.length} trajectories of ${untold.length} groups, and nobody knows which succeeded. Check that its judge answers.`;
  return [{ message, evidence: { name, groups: untold.length, value: all[0] ?? 0 } }];
}

function oneScoreForAll(name: string, groups: readonly Group[], minEach: number): Sighting | undefined {
  const scores = { won: [] as number[], lost: [] as number[] };
  for (const trajectory of groups.flatMap(({ trajectories }) => trajectories)) {
    const value = scoreValue(readScore(trajectory, name));
    if (value !== undefined && trajectory.success !== null) scores[trajectory.success ? "won" : "lost"].push(value);
  }
  const { won, lost } = scores;
  if (won.length < minEach || lost.length < minEach || !equal([...won, ...lost])) return undefined;
  const value = won[0] ?? 0;
  const message = `"${name}" is ${value} for ${won.length} successes and ${lost.length} failures alike. It does not see the difference; look at who gives it.`;
  return { message, evidence: { name, value, successes: won.length, failures: lost.length } };
}

function endsDiffer({ trajectories }: Group): boolean {
  return trajectories.some(({ success }) => success === true) && trajectories.some(({ success }) => success === false);
}

function unknown({ trajectories }: Group): boolean {
  return trajectories.every(({ success }) => success === null);
}

function actionsDiffer({ trajectories }: Group): boolean {
  const text = ({ steps }: Trajectory): string => JSON.stringify(steps.map(({ action }) => action));
  return new Set(trajectories.map(text)).size > 1;
}

function equal(values: readonly number[]): boolean {
  return values.every((value) => Math.abs(value - (values[0] as number)) <= 1e-9);
}
