/** What a lift result does to a skill: only proven ones are promoted, harmful ones go down at once; all of it is recorded. */
import { EngineError } from "limbeck-base/base/errors";
import { withSign } from "../../skill/install/facts.ts";
import { decide } from "../../skill/library/decide.ts";
import type { DecisionId } from "../../skill/library/transitions.ts";
import type { Library } from "../../skill/library/library.ts";
import type { LibrarySkill, LiftRecord, Status } from "../../skill/library/library-skill.ts";
import type { JsonObject } from "limbeck-base/base/json";
import type { Comparison, Lift, Verdict } from "./lift.ts";

/**
 * A lift as the library keeps it.
 *
 * @example
 * import { measureLift } from "limbeck/eval";
 *
 * const lift = await measureLift({
 *   tasks: [{ id: "1", env: "own", seed: 1, goal: "heat an egg", split: "valid" }],
 *   textFor: () => "Use the microwave.",
 *   countTokens: (text) => text.split(" ").length,
 *   run: (asked) => Promise.resolve(asked.map(() => 1)),
 * });
 * console.log(liftRecord(lift, "2026-11-15", { env: "own" }).success); // { skill: 1, bare: 1, placebo: 1 }
 */
export function liftRecord(lift: Lift, at: string, setting: JsonObject): LiftRecord {
  const { verdict, overBare, overPlacebo, success, promptTokens, tokensPerPoint } = lift;
  return {
    at,
    verdict,
    over: { bare: difference(overBare), placebo: difference(overPlacebo) },
    success: { skill: round(success.skill), bare: round(success.bare), placebo: round(success.placebo) },
    pairs: Math.min(overBare.pairs, overPlacebo.pairs),
    promptTokens,
    tokensPerPoint,
    setting,
  };
}

function difference({ value, low, high }: Comparison): LiftRecord["over"]["bare"] {
  return { value: round(value), low: round(low), high: round(high) };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** An active skill without lift steps down; a candidate that could not be decided stays what it is. */
export function decisionFor(verdict: Verdict, status: Status): DecisionId | undefined {
  // What is in quarantine is for people to decide.
  if (status === "quarantined") return undefined;
  if (verdict === "helps") return "promote";
  if (verdict === "harms") return "retire";
  return verdict === "no-lift" && status === "active" ? "demote" : undefined;
}

/**
 * Records the result with the skill, whatever it is; a test without pairs has none and is refused.
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { liftRecord, measureLift } from "limbeck/eval";
 * import { bankSkills, readBank, openLibrary } from "limbeck/skill";
 *
 * const folder = await mkdtemp(join(tmpdir(), "skills-"));
 * const library = openLibrary(folder);
 * const bank = readBank({ general_skills: [{ id: "heat", title: "Heat", principle: "Use the microwave." }] });
 * for (const skill of bankSkills(bank)) await library.add(skill, { by: "me", action: "added" });
 * const lift = await measureLift({
 *   tasks: Array.from({ length: 40 }, (_, seed) => ({ id: `${seed}`, env: "own", seed, goal: "heat an egg", split: "valid" })),
 *   textFor: () => "Use the microwave.",
 *   countTokens: (text) => text.split(" ").length,
 *   run: (asked, textFor) => Promise.resolve(asked.map((task) => Number(textFor(task) === "Use the microwave."))),
 * });
 * const { decision } = await applyLift(library, "bank-heat", liftRecord(lift, "2026-11-15", {}), "gate");
 * console.log(lift.verdict, decision); // helps promote
 * await rm(folder, { recursive: true });
 */
export async function applyLift(
  library: Library,
  name: string,
  record: LiftRecord,
  by: string,
): Promise<{ readonly skill: LibrarySkill; readonly decision: DecisionId | undefined }> {
  const { status } = await library.read(name);
  if (!(record.pairs > 0)) {
    throw new EngineError(
      "nothing-measured",
      `The lift of "${name}" has ${record.pairs} pairs, so that nothing was measured and nothing is recorded. Test it on tasks that it fits.`,
    );
  }
  const decision = decisionFor(record.verdict, status);
  const { value, low, high } = record.over.placebo;
  const why = `${record.verdict}: ${withSign(value)} (${withSign(low)} to ${withSign(high)}) over the placebo, ${record.pairs} pairs`;
  if (decision !== undefined)
    return { skill: await decide(library, name, { decision, by, why, lift: record }), decision };
  const skill = await library.change(name, { by, action: "measured", why }, (now) => ({ ...now, lift: record }));
  return { skill, decision };
}
