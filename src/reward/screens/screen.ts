/**
 * The contract of a screen: a look at rewarded trajectories for signs that the reward, not the task, is being solved.
 *
 * A screen accuses nobody. It names what it saw with the evidence; whether that is worth a line in the report or the end
 * of the run is a setting.
 */
import { z } from "zod";
import type { JsonObject, Trajectory } from "../../trajectory/index.ts";
import type { OptionSchema } from "../reward.ts";
import type { UpdateSummary } from "./history.ts";

export interface Finding {
  readonly screen: string;
  /** "stop" ends the run where the run asks `stopOnFindings`. */
  readonly severity: "warn" | "stop";
  /** What was seen, and what to look at. */
  readonly message: string;
  readonly evidence: JsonObject;
}

export interface ScreenInput {
  /** A batch whose `reward` is the one that is trained on. */
  readonly trajectories: readonly Trajectory[];
  /** What earlier updates looked like, the oldest first, this one included. */
  readonly history?: readonly UpdateSummary[];
}

export type Sighting = Pick<Finding, "message" | "evidence">;

export interface Screen {
  readonly id: string;
  /** One sentence. */
  readonly summary: string;
  /** What it looks at and when it speaks, in words. */
  readonly rule: readonly string[];
  readonly options: OptionSchema;
  look(input: ScreenInput, options: Readonly<Record<string, unknown>>): readonly Sighting[];
}

/** Every screen has it. */
export const severity = z
  .enum(["warn", "stop"])
  .default("warn")
  .describe("whether a finding is a line in the report or ends the run");

export function defineScreen<Schema extends OptionSchema>(definition: {
  readonly id: string;
  readonly summary: string;
  readonly rule: readonly string[];
  readonly options: Schema;
  readonly look: (input: ScreenInput, options: z.output<Schema>) => readonly Sighting[];
}): Screen {
  return definition;
}
