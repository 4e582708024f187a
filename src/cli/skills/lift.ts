/** `limbeck skills lift`: proves skills on held-out tasks, promotes and retires by the result. */
import { EngineError, errorCode, withoutUndefined } from "../../base/index.ts";
import { applyLift, liftRecord, measureLift, type Lift } from "../../eval/lift/index.ts";
import { isInUse } from "../../record/recorder/selection/offered-skill.ts";
import { createSelector, SELECTION, tokensOf } from "../../record/recorder/selection/select.ts";
import type { Library, LibraryEntry, Status } from "../../skill/library/index.ts";
import { inQuarantine } from "../../skill/library/transitions.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { formatDuration, plural } from "../look/units.ts";
import { maybeCount, maybeNumber } from "../model/open-given.ts";
import { armTexts, fittingTasks, openBench, type Bench } from "./lift-bench.ts";
import { testTogether } from "./lift-together.ts";
import { givenBy, givenLibrary, givenNames } from "./open-given.ts";
import { short, withInterval } from "./words.ts";

const TESTED: readonly Status[] = ["candidate", "active", "advisory"];

export async function runLift(invocation: Invocation): Promise<number> {
  const started = invocation.io.now();
  const library = givenLibrary(invocation);
  const skills = await chosenSkills(invocation, library);
  const bench = await openBench(invocation);
  try {
    requireMeasured(skills.length, "the library has no candidate and no skill in use");
    const results = new Map<string, Tested>();
    for (const skill of skills) results.set(skill.name, await testSkill(invocation, library, bench, skill));
    const unmeasured = [...results].flatMap(([name, { measured }]) => (measured ? [] : [name]));
    requireMeasured(skills.length - unmeasured.length, `no task fits ${unmeasured.join(", ")} and could be scored`);
    const failed = [...results.values()].some((result) => result.failed);
    if (!invocation.flag("dry-run")) await testTogether(invocation, library, bench);
    const durationMs = Math.round(invocation.io.now() - started);
    const facts = {
      skills: skills.length,
      unmeasured,
      episodes: bench.episodes(),
      gate: failed ? "failed" : "passed",
      durationMs,
      ...spentOf(bench),
    };
    if (invocation.json) invocation.printJson({ event: "end", ...facts });
    else {
      invocation.print();
      const without = unmeasured.length === 0 ? "" : ` (${unmeasured.length} not measured)`;
      invocation.print(
        `${plural(skills.length, "skill")}${without}, ${plural(facts.episodes, "episode")}, gate ${facts.gate} (${formatDuration(durationMs)}).`,
      );
      const { spent } = bench;
      if (spent !== undefined)
        invocation.print(
          `The agent ran for ${formatDuration(spent.ms)}${spent.costUsd > 0 ? ` and spent $${spent.costUsd.toFixed(2)}` : ""}.`,
        );
    }
    return failed ? EXIT.gate : EXIT.done;
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

function spentOf({ spent }: Bench): { readonly agentMs?: number; readonly costUsd?: number } {
  return spent === undefined ? {} : { agentMs: Math.round(spent.ms), costUsd: spent.costUsd };
}

async function chosenSkills(invocation: Invocation, library: Library): Promise<LibraryEntry[]> {
  const names = givenNames(invocation, false);
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

interface Tested {
  readonly measured: boolean;
  readonly failed: boolean;
}

/**
 * The gate fails by a skill in use that harms, has no lift or was not measured; by one that was named and not measured; and, when strict,
 * by any that could not be decided. What prompts get is what the selection delivers of this skill, in the same words.
 */
async function testSkill(invocation: Invocation, library: Library, bench: Bench, skill: LibraryEntry): Promise<Tested> {
  const selector = createSelector([skill], { statuses: [skill.status] });
  const tasks = await fittingTasks(invocation, bench, ({ goal }) => selector.select({ goal }).skills.length > 0);
  const { name } = skill;
  const inUse = isInUse(skill);
  const isAskedFor = inUse || invocation.flag("strict") || givenNames(invocation, false).includes(name);
  const lift = await measureLift({
    ...armTexts(selector, bench),
    tasks,
    run: bench.run,
    countTokens: bench.countTokens,
    ...withoutUndefined({
      looks: maybeCount(invocation, "looks"),
      worthwhile: maybeNumber(invocation, "worthwhile", { low: 0, high: 1 }),
    }),
    onLook: ({ look, looks, overBare, overPlacebo, verdict = null }) => {
      const facts = {
        name,
        look,
        looks,
        pairs: overPlacebo.pairs,
        overBare: short(overBare),
        overPlacebo: short(overPlacebo),
        verdict,
      };
      if (invocation.json) invocation.printJson({ event: "look", ...facts });
      else
        invocation.note(
          `${name}: look ${look} of ${looks}, ${plural(facts.pairs, "pair")}, ${withInterval(overPlacebo)} over the placebo`,
        );
    },
  }).catch((error: unknown) => {
    if (errorCode(error) !== "nothing-measured") throw error;
  });
  if (lift === undefined) {
    sayUnmeasured(invocation, skill, tasks.length);
    return { measured: false, failed: isAskedFor };
  }
  const record = liftRecord(lift, new Date().toISOString(), bench.setting);
  const { status, decision } = invocation.flag("dry-run")
    ? { status: skill.status, decision: undefined }
    : await applyLift(library, name, record, givenBy(invocation)).then(
        ({ skill: { status: now }, decision: made }) => ({ status: now, decision: made }),
      );
  sayLift(invocation, skill, lift, status, decision);
  const isBad = inUse && (lift.verdict === "harms" || lift.verdict === "no-lift");
  return { measured: true, failed: isBad || (invocation.flag("strict") && lift.verdict === "cannot-tell") };
}

/** Why a skill has no pair: told, and nothing is recorded with it. */
function sayUnmeasured(invocation: Invocation, { name, level, text }: LibraryEntry, tasks: number): void {
  const { budgetTokens } = SELECTION;
  const problem =
    tasks > 0
      ? `none of ${plural(tasks, "task")} that it fits could be scored in all arms`
      : level === "step"
        ? "a step skill is chosen by what the agent sees at that step, which a lift test does not ask"
        : tokensOf(text) > budgetTokens
          ? `its text has ${tokensOf(text)} tokens, and no prompt gets more than ${budgetTokens}`
          : "no task of this set fits it";
  if (invocation.json) invocation.printJson({ event: "problem", name, problem: `not measured: ${problem}` });
  else invocation.print(`- ${invocation.style.bold(name)}: not measured, ${problem}.`);
}

function sayLift(
  invocation: Invocation,
  skill: LibraryEntry,
  lift: Lift,
  status: Status,
  decision: string | undefined,
): void {
  const { verdict, looks, overBare, overPlacebo, placeboOverBare, success, promptTokens, tokensPerPoint, saved } = lift;
  const pairs = Math.min(overBare.pairs, overPlacebo.pairs);
  if (invocation.json) {
    invocation.printJson({
      event: "lift",
      name: skill.name,
      verdict,
      status,
      decision: decision ?? null,
      looks,
      pairs,
      unscored: overPlacebo.unscored,
      success,
      overBare: short(overBare),
      overPlacebo: short(overPlacebo),
      placeboOverBare: short(placeboOverBare),
      promptTokens,
      tokensPerPoint,
      saved,
    });
    return;
  }
  const { style } = invocation;
  const mark = verdict === "helps" ? style.green("✓") : verdict === "harms" ? style.red("✗") : "-";
  invocation.print(
    `${mark} ${style.bold(skill.name)}: ${verdict}, ${status}${decision === undefined ? "" : ` (${decision})`}`,
  );
  invocation.print(
    `    success ${success.skill.toFixed(3)} with it, ${success.bare.toFixed(3)} with nothing, ${success.placebo.toFixed(3)} with a placebo; ${plural(pairs, "pair")}${saved > 0 ? `, ${saved} saved` : ""}`,
  );
  invocation.print(`    lift ${withInterval(overPlacebo)} over the placebo, ${withInterval(overBare)} over nothing`);
  invocation.print(
    `    ${plural(promptTokens, "token")}${tokensPerPoint === null ? "" : `, ${tokensPerPoint} for each point`}`,
  );
}
