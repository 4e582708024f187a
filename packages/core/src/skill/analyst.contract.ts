/**
 * The contract suite of analysts: registers one test per promise with any runner that has `describe` and `test`.
 *
 *   import { describe, test } from "vitest";
 *   import { analystContract } from "limbeck/testing";
 *   analystContract({ name: "my analyst", analyst: () => mine, groups, runner: { describe, test } });
 */
import { EngineError, errorCode } from "limbeck-base/base/errors";
import type { Runner } from "limbeck-base/base/test-runner";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { createSkill } from "./create-skill.ts";
import type { Analysis, Analyst, Skill } from "./skill.ts";

export interface AnalystContractOptions {
  readonly name: string;
  readonly analyst: () => Analyst;
  /** Finished groups to try it on, each of one task. */
  readonly groups: readonly (readonly Trajectory[])[];
  readonly runner: Runner;
}

type Check = (analyst: Analyst, group: readonly Trajectory[]) => Promise<void>;

const PROMISES: Readonly<Record<string, Check>> = {
  "one analysis per trajectory, in order, of skills that rest on steps of the group": async (analyst, group) => {
    const analyses = await analyst.analyse(group, { maxStepSkills: 3 });
    sameIds(analyses, group);
    for (const [at, analysis] of analyses.entries()) checkAnalysis(analysis, group[at] as Trajectory, group);
  },
  "at most K step skills, and none when K is 0": async (analyst, group) => {
    for (const maxStepSkills of [0, 1]) {
      for (const { stepSkills, trajectory } of await analyst.analyse(group, { maxStepSkills })) {
        hold(
          stepSkills.size <= maxStepSkills,
          `${trajectory} has ${stepSkills.size} step skills, K is ${maxStepSkills}`,
        );
      }
    }
  },
  "only selected trajectories are analysed": async (analyst, group) => {
    const chosen = group.slice(1);
    const analyses = await analyst.analyse(group, { maxStepSkills: 1, select: (one) => chosen.includes(one) });
    sameIds(analyses, chosen);
  },
  "trajectories without steps are survived": async (analyst, group) => {
    const empty = group.map((trajectory) => ({ ...trajectory, steps: [], success: null }));
    const analyses = await analyst.analyse(empty, { maxStepSkills: 3 });
    sameIds(analyses, empty);
    for (const { stepSkills } of analyses) hold(stepSkills.size === 0, "a step skill without a step");
  },
  "a cancelled caller is told so": async (analyst, group) => {
    const outcome = await analyst.analyse(group, { maxStepSkills: 1, signal: AbortSignal.abort() }).then(
      () => "an answer",
      (error: unknown) => errorCode(error),
    );
    hold(outcome === "cancelled", `a cancelled signal gave ${outcome}, not a rejection with the code "cancelled"`);
  },
};

/**
 * Registers the suite.
 *
 * @example
 * import { createStatisticsAnalyst } from "limbeck/skill";
 *
 * const tests: (() => Promise<void>)[] = [];
 * const runner = { describe: (_: string, body: () => void) => body(), test: (_: string, body: () => Promise<void>) => tests.push(body) };
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, group: 2 });
 * analystContract({ name: "statistics", analyst: createStatisticsAnalyst, groups: [trajectories], runner });
 * for (const one of tests) await one();
 * console.log(tests.length); // 5
 */
export function analystContract({ name, analyst, groups, runner }: AnalystContractOptions): void {
  runner.describe(name, () => {
    for (const [title, promise] of Object.entries(PROMISES)) {
      runner.test(title, async () => {
        for (const group of groups) await promise(analyst(), group);
      });
    }
  });
}

function checkAnalysis(analysis: Analysis, { id, steps }: Trajectory, group: readonly Trajectory[]): void {
  const { episodeSkill, stepSkills, error } = analysis;
  if (error !== undefined) {
    hold(episodeSkill === undefined && stepSkills.size === 0, `${id} has an error and skills at once`);
    return;
  }
  if (episodeSkill !== undefined) checkSkill(episodeSkill, "episode", group);
  for (const [step, skill] of stepSkills) {
    hold(
      steps.some(({ index }) => index === step),
      `${id} has a skill for step ${step}, which it does not have`,
    );
    checkSkill(skill, "step", group);
  }
}

function checkSkill(skill: Skill, level: Skill["level"], group: readonly Trajectory[]): void {
  hold(skill.level === level, `"${skill.text}" is of level ${skill.level}, not ${level}`);
  hold(skill.text.trim() !== "", "a skill without text");
  hold(skill.id === createSkill(level, skill.text, []).id, `the id of "${skill.text}" is not that of createSkill`);
  hold(skill.evidence.length > 0, `"${skill.text}" rests on nothing`);
  for (const { trajectory, steps } of skill.evidence) {
    const known = group.find(({ id }) => id === trajectory)?.steps.map(({ index }) => index) ?? [];
    hold(
      steps.every((step) => known.includes(step)),
      `"${skill.text}" rests on steps ${steps.join(", ")} of "${trajectory}", which the group does not have`,
    );
  }
}

function sameIds(analyses: readonly Analysis[], group: readonly Trajectory[]): void {
  const [given, expected] = [analyses.map(({ trajectory }) => trajectory), group.map(({ id }) => id)];
  hold(
    JSON.stringify(given) === JSON.stringify(expected),
    `analyses of ${JSON.stringify(given)}, expected ${JSON.stringify(expected)}`,
  );
}

function hold(promise: boolean, fault: string): void {
  if (!promise) throw new EngineError("analyst-contract", `The analyst does not keep its contract: ${fault}.`);
}
