/** `limbeck skills lift`: proves skills on held-out tasks, promotes and retires by the result. */
import { withoutUndefined } from "../../base/index.ts";
import { applyLift, liftRecord, measureLift, type Lift } from "../../eval/lift/index.ts";
import { fillPlaces, fitShape } from "../../skill/extract/goal-shapes.ts";
import type { Library, LibraryEntry, Status } from "../../skill/library/index.ts";
import { inQuarantine } from "../../skill/library/transitions.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { formatDuration, plural } from "../look/units.ts";
import { maybeCount, maybeNumber } from "../model/open-given.ts";
import { fittingTasks, openBench, type Bench } from "./lift-bench.ts";
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
    let failed = false;
    for (const skill of skills) failed = (await testSkill(invocation, library, bench, skill)) || failed;
    if (!invocation.flag("dry-run")) await testTogether(invocation, library, bench);
    const durationMs = Math.round(invocation.io.now() - started);
    const facts = {
      skills: skills.length,
      episodes: bench.episodes(),
      gate: failed ? "failed" : "passed",
      durationMs,
      ...spentOf(bench),
    };
    if (invocation.json) invocation.printJson({ event: "end", ...facts });
    else {
      invocation.print();
      invocation.print(
        `${plural(skills.length, "skill")}, ${plural(facts.episodes, "episode")}, gate ${facts.gate} (${formatDuration(durationMs)}).`,
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

/** True when the gate fails: a skill in use that harms or has no lift, or, when strict, one that could not be decided. */
async function testSkill(
  invocation: Invocation,
  library: Library,
  bench: Bench,
  skill: LibraryEntry,
): Promise<boolean> {
  const textFor = (task: Task): string | undefined => filled(skill, task.goal);
  const tasks = await fittingTasks(invocation, bench, (task) => textFor(task) !== undefined);
  const { name } = skill;
  const lift = await measureLift({
    textFor,
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
          `${name}: look ${look} of ${looks}, ${facts.pairs} pairs, ${withInterval(overPlacebo)} over the placebo`,
        );
    },
  });
  const record = liftRecord(lift, new Date().toISOString(), bench.setting);
  const { status, decision } = invocation.flag("dry-run")
    ? { status: skill.status, decision: undefined }
    : await applyLift(library, name, record, givenBy(invocation)).then(
        ({ skill: { status: now }, decision: made }) => ({ status: now, decision: made }),
      );
  sayLift(invocation, skill, lift, status, decision);
  const inUse = skill.status === "active" || skill.status === "advisory";
  if (inUse && (lift.verdict === "harms" || lift.verdict === "no-lift")) return true;
  return invocation.flag("strict") && lift.verdict === "cannot-tell";
}

function filled({ level, when, text }: LibraryEntry, goal: string): string | undefined {
  if (level === "general" && when.goals.length === 0) return text;
  const values = when.goals.map((shape) => fitShape(shape, goal)).find((found) => found !== undefined);
  return values === undefined ? undefined : fillPlaces(text, values);
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
    `    success ${success.skill.toFixed(3)} with it, ${success.bare.toFixed(3)} with nothing, ${success.placebo.toFixed(3)} with a placebo; ${pairs} pairs${saved > 0 ? `, ${saved} saved` : ""}`,
  );
  invocation.print(`    lift ${withInterval(overPlacebo)} over the placebo, ${withInterval(overBare)} over nothing`);
  invocation.print(`    ${promptTokens} tokens${tokensPerPoint === null ? "" : `, ${tokensPerPoint} for each point`}`);
  if (pairs === 0) invocation.note(`! ${skill.name}: no task of this set fits it and could be scored.`);
}
