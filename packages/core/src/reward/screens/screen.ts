/**
 * The contract of a screen: a look at rewarded trajectories for signs that the reward, not the task, is being solved.
 *
 * A screen names a pattern with its evidence, not a cheat; whether that is worth a line in the report or the end
 * of the run is a setting.
 */
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import type { EntryInfo } from "limbeck-base/base/method-info";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
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
  /** How likely a trained scorer finds each to have succeeded, at its end, by id; those it cannot read are not in it. */
  readonly foretold?: ReadonlyMap<string, number> | undefined;
}

export type Sighting = Pick<Finding, "message" | "evidence">;

/** Every screen has it. */
export const severity = option.choice(
  "warn",
  ["warn", "stop"],
  "whether a finding is a line in the report or ends the run",
);

type ScreenTable = DeepTable & { readonly severity: typeof severity };

export interface Screen<Table extends ScreenTable = ScreenTable> {
  readonly id: string;
  /** Its formula says in words what it looks at and when it speaks. */
  readonly info: EntryInfo & { readonly formula: readonly string[] };
  readonly options: Table;
  look(input: ScreenInput, options: OptionValues<Table>): readonly Sighting[];
}

/** Makes an entry of the registry. */
export function defineScreen<const Table extends ScreenTable>(screen: Screen<Table>): Screen<Table> {
  return screen;
}
