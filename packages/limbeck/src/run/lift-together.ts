/** All skills in use as an agent would get them. */
import { plural } from "limbeck-base/base/units";
import { comparisonsOf, evidenceOf } from "limbeck-core/eval/lift/lift";
import { createSelector } from "limbeck-recorder/selection/select";
import { armTexts, fittingTasks, LOOKED_AT, asJson, tasksFor, type Bench, type Lifting } from "./lift-bench.ts";
import type { LiftInput } from "./lift.inputs.ts";

/** Tasks that no decision was based on: those that chose the skills would flatter them. */
export function freshTasks(given: LiftInput, bench: Bench): Bench {
  if (Object.hasOwn(bench.env.splits, "test") && bench.split !== "test") return { ...bench, split: "test" };
  return { ...bench, offset: tasksFor(given) * LOOKED_AT + bench.offset };
}

/** All skills in use as an agent would get them, on fresh tasks that some skill fits; one look. */
export async function testTogether({ given, context, library, bench }: Lifting): Promise<void> {
  const { skills } = await library.list();
  const selector = createSelector(skills);
  if (selector.size === 0) return;
  const { textFor, placeboFor } = armTexts(selector, bench);
  const fresh = freshTasks(given, bench);
  const tasks = await fittingTasks(tasksFor(given), fresh, (task) => textFor(task) !== undefined);
  if (tasks.length === 0) {
    context.note(`! No fresh task (${fresh.split}) fits a skill in use: all together were not measured.`);
    return;
  }
  const run = bench.ledger.armsOf("all in use", bench.run);
  const bare = await run(tasks, () => undefined, { arm: "bare" });
  const skill = await run(tasks, textFor, { arm: "skill" });
  const placebo = await run(tasks, placeboFor, { arm: "placebo" });
  const outcomes = { skill, bare, placebo };
  const { overBare, overPlacebo, placeboOverBare } = comparisonsOf(evidenceOf(outcomes), outcomes);
  if (overBare.pairs === 0 || overPlacebo.pairs === 0) {
    context.note(
      `! None of ${plural(tasks.length, "fresh task")} (${fresh.split}) could be scored in all arms: all together were not measured.`,
    );
    return;
  }
  const share = (arm: readonly (number | null)[]): number =>
    arm.filter((value) => value === 1).length / arm.filter((value) => value !== null).length;
  const success = { skill: share(skill), bare: share(bare), placebo: share(placebo) };
  context.emit({
    event: "together",
    skills: selector.size,
    tasks: tasks.length,
    split: fresh.split,
    pairs: overBare.pairs,
    unscored: overBare.unscored,
    success,
    ...asJson({ overBare, overPlacebo, placeboOverBare }),
  });
}
