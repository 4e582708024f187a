/** Runs that one stage of the study has made and another can use. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isFinished, journalFile, readJournal, type JournalLine } from "../../packages/training/src/arena/journal.ts";
import { storedPlan } from "../../packages/training/src/arena/run-plan.ts";
import type { ArenaPlan } from "../../packages/training/src/arena/plan.ts";

/** Copies into `dir` the finished runs of another stage's folder that the plan would make in the same way. */
export async function borrow(plan: ArenaPlan, dir: string, other: string): Promise<void> {
  const done = await storedPlan(other);
  const use = done === undefined ? undefined : useOf(plan, done);
  if (done === undefined || use === undefined) return;
  const same = plan.arms.filter((arm) => done.arms.some((own) => JSON.stringify(own) === JSON.stringify(arm)));
  for (const { name } of same) {
    for (const seed of plan.seeds.filter((own) => done.seeds.includes(own))) {
      const lines = await readJournal(journalFile(other, name, seed));
      const to = journalFile(dir, name, seed);
      if (!isFinished(lines) || isFinished(await readJournal(to))) continue;
      await mkdir(dirname(to), { recursive: true });
      await writeFile(
        to,
        lines
          .filter(use)
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(""),
      );
    }
  }
}

/**
 * Which lines of the other plan's runs hold for this one; undefined where they are other runs. A longer run has the same
 * curve up to the shorter one's end, so it serves a plan that only looks at the curve.
 */
export function useOf(plan: ArenaPlan, done: ArenaPlan): ((line: JournalLine) => boolean) | undefined {
  const course = ({ env, envOptions, noise, model, threads, evaluation, budget }: ArenaPlan): string => {
    const { every, tasks, split, temperature } = evaluation;
    return JSON.stringify([env, envOptions, noise, model, threads, every, tasks, split, temperature, budget.account]);
  };
  if (course(plan) !== course(done)) return undefined;
  const end = ({ evaluation, budget }: ArenaPlan): string => JSON.stringify([evaluation, budget]);
  if (end(plan) === end(done)) return () => true;
  const { finalTasks, retentionTasks } = plan.evaluation;
  const curveIsAll = finalTasks === 0 && retentionTasks === 0;
  if (!curveIsAll || done.budget.amount < plan.budget.amount) return undefined;
  return ({ kind }) => kind !== "final" && kind !== "retention";
}
