/** Proves skills on held-out tasks, promotes and retires by the result. */
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { plural } from "limbeck-base/base/units";
import { applyLift, liftRecord } from "limbeck-core/eval/lift/gate";
import { measureLift } from "limbeck-core/eval/lift/lift";
import { isInUse } from "limbeck-recorder/selection/offered-skill";
import { createSelector, SELECTION, tokensOf } from "limbeck-recorder/selection/select";
import { givenAct, givenLibrary } from "limbeck-core/skill/library/given-library";
import type { Library } from "limbeck-core/skill/library/library";
import type { LibraryEntry } from "limbeck-core/skill/library/index-file";
import type { Status } from "limbeck-core/skill/library/library-skill";
import { inQuarantine } from "limbeck-core/skill/library/transitions";
import { armTexts, fittingTasks, openBench, asJson, type Lifting } from "./lift-bench.ts";
import { testTogether } from "./lift-together.ts";
import type { LiftContext, LiftInput } from "./lift.inputs.ts";

const TESTED: readonly Status[] = ["candidate", "active", "advisory"];

export async function liftLibrary(given: LiftInput, context: LiftContext) {
  const started = context.now();
  const library = givenLibrary(given, context);
  const skills = await chosenSkills(given, library);
  const bench = await openBench(given, context);
  try {
    requireMeasured(skills.length, "the library has no candidate and no skill in use");
    const results = new Map<string, Awaited<ReturnType<typeof testSkill>>>();
    const lifting = { given, context, library, bench };
    for (const skill of skills) results.set(skill.name, await testSkill(lifting, skill));
    const unmeasured = [...results].flatMap(([name, { measured }]) => (measured ? [] : [name]));
    requireMeasured(skills.length - unmeasured.length, `no task fits ${unmeasured.join(", ")} and could be scored`);
    const failed = [...results.values()].some((result) => result.failed);
    if (!given.dryRun) await testTogether(lifting);
    const gate = failed ? "failed" : "passed";
    const lifted = { skills: skills.length, unmeasured, episodes: bench.episodes(), gate };
    const { spent } = bench;
    context.emit({
      event: "end",
      ...lifted,
      durationMs: Math.round(context.now() - started),
      ...(spent === undefined ? {} : { agentMs: Math.round(spent.ms), costUsd: spent.costUsd }),
    });
    return lifted;
  } finally {
    await bench.close();
    await library.list();
  }
}

/** A lift without a single pair is no result: no gate may pass by it. */
function requireMeasured(count: number, why: string): void {
  if (count > 0) return;
  throw new EngineError(
    "nothing-measured",
    `Nothing was measured, and no gate passes: ${why}. Give tasks that the skills are for: --env, --split, --offset and --tasks, or --dataset.`,
  );
}

async function chosenSkills({ names }: LiftInput, library: Library): Promise<LibraryEntry[]> {
  const { skills } = await library.list();
  if (names.length === 0) return skills.filter(({ status, level }) => TESTED.includes(status) && level !== "step");
  return await Promise.all(
    names.map(async (name) => {
      const { evidence, ...entry } = await library.read(name);
      if (entry.status === "quarantined") throw inQuarantine(entry, "lift");
      return { ...entry, links: evidence.length };
    }),
  );
}

/**
 * The gate fails by a skill in use that harms, has no lift or was not measured; by one that was named and not measured; and, when strict,
 * by any that could not be decided. What prompts get is what the selection delivers of this skill, in the same words.
 */
async function testSkill({ given, context, library, bench }: Lifting, skill: LibraryEntry) {
  const selector = createSelector([skill], { statuses: [skill.status] });
  const tasks = await fittingTasks(given, bench, ({ goal }) => selector.select({ goal }).skills.length > 0);
  const { name } = skill;
  const { looks, worthwhile, strict, dryRun } = given;
  const inUse = isInUse(skill);
  const lift = await measureLift({
    ...armTexts(selector, bench),
    tasks,
    run: bench.run,
    countTokens: bench.countTokens,
    ...withoutUndefined({ looks, worthwhile }),
    onLook: ({ look, looks: of, overBare, overPlacebo, verdict = null }) => {
      const { pairs } = overPlacebo;
      context.emit({ event: "look", name, look, looks: of, pairs, ...asJson({ overBare, overPlacebo }), verdict });
    },
  }).catch((error: unknown) => {
    if (errorCode(error) !== "nothing-measured") throw error;
  });
  if (lift === undefined) {
    context.emit({ event: "problem", name, problem: `not measured: ${whyUnmeasured(skill, tasks.length)}` });
    return { measured: false, failed: inUse || strict || given.names.includes(name) };
  }
  const record = liftRecord(lift, new Date().toISOString(), bench.setting);
  const applied = dryRun ? { skill } : await applyLift(library, name, record, givenAct(given, context).by);
  const { overBare, overPlacebo, placeboOverBare, look: _, ...found } = lift;
  context.emit({
    event: "lift",
    name,
    ...found,
    status: applied.skill.status,
    decision: ("decision" in applied ? applied.decision : undefined) ?? null,
    pairs: Math.min(overBare.pairs, overPlacebo.pairs),
    unscored: overPlacebo.unscored,
    ...asJson({ overBare, overPlacebo, placeboOverBare }),
  });
  const { verdict } = lift;
  const isBad = inUse && (verdict === "harms" || verdict === "no-lift");
  return { measured: true, failed: isBad || (strict && verdict === "cannot-tell") };
}

/** Why a skill has no pair. */
function whyUnmeasured({ level, text }: LibraryEntry, tasks: number): string {
  if (tasks > 0) return `none of ${plural(tasks, "task")} that it fits could be scored in all arms`;
  if (level === "step")
    return "a step skill is chosen by what the agent sees at that step, which a lift test does not ask";
  const [tokens, { budgetTokens }] = [tokensOf(text), SELECTION];
  return tokens > budgetTokens
    ? `its text has ${tokens} tokens, and no prompt gets more than ${budgetTokens}`
    : "no task of this set fits it";
}
