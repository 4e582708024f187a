/** What a lift result does to a skill: only proven ones are promoted, harmful ones go down at once; all of it is recorded. */
import {
  decide,
  type DecisionId,
  type Library,
  type LibrarySkill,
  type LiftRecord,
  type Status,
} from "../../skill/library/index.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import type { Comparison } from "./sequential.ts";
import type { Lift, Verdict } from "./lift.ts";

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

/** Records the result with the skill, whatever it is. */
export async function applyLift(
  library: Library,
  name: string,
  record: LiftRecord,
  by: string,
): Promise<{ readonly skill: LibrarySkill; readonly decision: DecisionId | undefined }> {
  const { status } = await library.read(name);
  const decision = decisionFor(record.verdict, status);
  const { value, low, high } = record.over.placebo;
  const why = `${record.verdict}: ${signed(value)} (${signed(low)} to ${signed(high)}) over the placebo, ${record.pairs} pairs`;
  if (decision !== undefined)
    return { skill: await decide(library, name, { decision, by, why, lift: record }), decision };
  const skill = await library.change(name, { by, action: "measured", why }, (now) => ({ ...now, lift: record }));
  return { skill, decision };
}

function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`;
}
