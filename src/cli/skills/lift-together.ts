/** All skills in use as an agent would get them. */
import { comparePairs, type Pair } from "../../eval/lift/lift.ts";
import type { Library } from "../../skill/library/index.ts";
import { createSelector } from "../../skill/selection/index.ts";
import type { Invocation } from "../command.ts";
import { plural } from "../look/units.ts";
import { givenCount } from "../model/open-given.ts";
import { armTexts, fittingTasks, LOOKED_AT, type Bench } from "./lift-bench.ts";
import { short, withInterval } from "./words.ts";

/** Tasks that no decision was based on: those that chose the skills would flatter them. */
function freshTasks(invocation: Invocation, bench: Bench): Bench {
  if (Object.hasOwn(bench.env.splits, "test") && bench.split !== "test") return { ...bench, split: "test" };
  const beyond = givenCount(invocation, "tasks", 240) * LOOKED_AT + bench.offset;
  return { ...bench, offset: beyond };
}

/** All skills in use as an agent would get them, on fresh tasks that some skill fits; one look. */
export async function testTogether(invocation: Invocation, library: Library, bench: Bench): Promise<void> {
  const { skills } = await library.list();
  const selector = createSelector(skills);
  if (selector.size === 0) return;
  const { textFor, placeboFor } = armTexts(selector, bench);
  const fresh = freshTasks(invocation, bench);
  const tasks = await fittingTasks(invocation, fresh, (task) => textFor(task) !== undefined);
  if (tasks.length === 0) {
    invocation.note(`! No fresh task (${fresh.split}) fits a skill in use: all together were not measured.`);
    return;
  }
  const bare = await bench.run(tasks, () => undefined);
  const skill = await bench.run(tasks, textFor);
  const placebo = await bench.run(tasks, placeboFor);
  const pair = (left: readonly (number | null)[], right: readonly (number | null)[]): Pair[] =>
    left.map((value, at) => [value, right[at] ?? null]);
  const bound = 1.96;
  const overBare = comparePairs(pair(skill, bare), bound);
  const overPlacebo = comparePairs(pair(skill, placebo), bound);
  const placeboOverBare = comparePairs(pair(placebo, bare), bound);
  if (overBare.pairs === 0 || overPlacebo.pairs === 0) {
    invocation.note(
      `! None of ${plural(tasks.length, "fresh task")} (${fresh.split}) could be scored in all arms: all together were not measured.`,
    );
    return;
  }
  const share = (arm: readonly (number | null)[]): number =>
    arm.filter((value) => value === 1).length / arm.filter((value) => value !== null).length;
  const success = { skill: share(skill), bare: share(bare), placebo: share(placebo) };
  if (invocation.json) {
    invocation.printJson({
      event: "together",
      skills: selector.size,
      pairs: overBare.pairs,
      unscored: overBare.unscored,
      success,
      overBare: short(overBare),
      overPlacebo: short(overPlacebo),
      placeboOverBare: short(placeboOverBare),
    });
    return;
  }
  invocation.print();
  invocation.print(`All ${selector.size} in use together, on ${plural(tasks.length, "fresh task")} (${fresh.split}):`);
  invocation.print(
    `    success ${success.skill.toFixed(3)} with them, ${success.bare.toFixed(3)} with nothing, ${success.placebo.toFixed(3)} with placebos`,
  );
  invocation.print(`    lift ${withInterval(overPlacebo)} over placebos, ${withInterval(overBare)} over nothing`);
  invocation.print(`    the placebo alone: ${withInterval(placeboOverBare)} over nothing`);
  if (placeboOverBare.low > 0)
    invocation.note(
      "! This policy does better with any text where advice stands; only lift over the placebo is the skills' doing.",
    );
}
