/** Proves skills on held-out tasks, promotes and retires by the result. */
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { plural } from "limbeck-base/base/units";
import { applyLift, liftRecord } from "limbeck-core/eval/lift/gate";
import { LOOK_EVERY, measureLift } from "limbeck-core/eval/lift/lift";
import { isInUse } from "limbeck-recorder/selection/offered-skill";
import { SELECTION, tokensOf } from "limbeck-recorder/selection/select";
import { givenAct, givenLibrary } from "limbeck-core/skill/library/given-library";
import type { Library } from "limbeck-core/skill/library/library";
import type { LibraryEntry } from "limbeck-core/skill/library/index-file";
import type { Status } from "limbeck-core/skill/library/library-skill";
import { inQuarantine } from "limbeck-core/skill/library/transitions";
import { armTexts, openBench, asJson, type Lifting } from "./lift-bench.ts";
import { planLift, type Planned } from "./lift-plan.ts";
import { openReport } from "./lift-report.ts";
import { testTogether } from "./lift-together.ts";
import type { LiftContext, LiftInput } from "./lift.inputs.ts";

const TESTED: readonly Status[] = ["candidate", "active", "advisory"];

export async function liftLibrary(given: LiftInput, context: LiftContext) {
  const started = context.now();
  const library = givenLibrary(given, context);
  const report = openReport(given, context);
  const skills = await chosenSkills(given, library);
  const bench = await openBench(given, library, report.context);
  try {
    requireMeasured(skills.length, "the library has no candidate and no skill in use");
    const results = new Map<string, Awaited<ReturnType<typeof testSkill>>>();
    const lifting = { given, context: report.context, library, bench };
    const planned = await planLift(lifting, skills);
    for (const one of planned) results.set(one.skill.name, await testSkill(lifting, one));
    const unmeasured = [...results].flatMap(([name, { measured }]) => (measured ? [] : [name]));
    requireMeasured(skills.length - unmeasured.length, `no task fits ${unmeasured.join(", ")} and could be scored`);
    const failed = [...results].flatMap(([name, result]) => (result.failed ? [name] : []));
    if (!given.dryRun && !bench.account.isOver()) await testTogether(lifting);
    const gate = failed.length > 0 ? "failed" : "passed";
    const lifted = { skills: skills.length, unmeasured, episodes: bench.episodes(), gate };
    const { spent, account } = bench;
    report.context.emit({
      event: "end",
      ...lifted,
      durationMs: Math.round(context.now() - started),
      ...(account.prices === undefined ? {} : { costUsd: account.spent.usd }),
      ...(spent === undefined ? {} : { agentMs: Math.round(spent.ms), costUsd: spent.costUsd }),
    });
    await report.write(failed);
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
    `Nothing was measured, and no gate passes: ${why}. Give tasks that the skills are for: --env, --split, --offset and --tasks, --dataset or --run.`,
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
async function testSkill({ given, context, library, bench }: Lifting, { skill, selector, tasks }: Planned) {
  const { name } = skill;
  const { trials, worthwhile, strict, dryRun, concurrency = 0 } = given;
  const inUse = isInUse(skill);
  const { ledger, account } = bench;
  const which = `${name}@${skill.version}`;
  const lift = await measureLift({
    ...armTexts(selector, bench),
    tasks,
    trials,
    worthwhile,
    run: ledger.armsOf(which, bench.run),
    earlier: ledger.earlier(which, tasks, trials),
    countTokens: bench.countTokens,
    lookEvery: Math.max(LOOK_EVERY, concurrency),
    isOver: account.isOver,
    onLook: ({ look, overBare, overPlacebo, verdict = null }) => {
      const { pairs } = overPlacebo;
      context.emit({ event: "look", name, look, pairs, ...asJson({ overBare, overPlacebo }), verdict });
    },
  }).catch((error: unknown) => {
    if (errorCode(error) !== "nothing-measured") throw error;
    return undefined;
  });
  if (lift === undefined) {
    context.emit({
      event: "problem",
      name,
      problem: `not measured: ${account.isOver() ? "the budget ended before" : whyUnmeasured(skill, tasks.length)}`,
    });
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
