/** What an update leaves behind, for the store, the terminal and the report, and what its parts hand to each other. */
import type { CreditResult } from "../credit/credit.ts";
import type { TrajectoryBatch } from "../credit/from-trajectories.ts";
import type { TeacherDiagnostics } from "../distill/diagnostics.ts";
import type { Rescored } from "../distill/score-sequences.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { Analysis } from "../skill/skill.ts";
import type { JsonObject, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { FamilySkills } from "./agent.ts";

/** "credit" holds the time of the providers too. */
export const phases = ["collect", "analyse", "rescore", "credit", "learn"] as const;
export type Phase = (typeof phases)[number];

export interface UpdateRecord {
  readonly episodes: Trajectory[];
  /** Episodes that were played beside: with hints, by a teacher. They count in no rate of success. */
  readonly beside: Trajectory[];
  readonly analyses: Map<string, Analysis>;
  /** How tasks are done, asked once. */
  readonly solutions: Map<string, Promise<Solution | undefined>>;
  readonly metrics: Record<string, number>;
  /** Fresh episodes of each task that was played, branches apart, where tasks come again. */
  played: Readonly<Record<string, number>> | undefined;
  /** What a person should know of it, in a line each. */
  readonly notices: string[];
  readonly seconds: Record<Phase, number>;
  /** Skills for the prompts of later updates. */
  skills: FamilySkills;
  /** What the recipe keeps for the next update. */
  kept: JsonObject | null;
  credited: Credited | undefined;
  creditState: JsonObject | null;
  taught: Taught | undefined;
  diagnostics: TeacherDiagnostics | undefined;
  /** Divergence from the teacher at each token of a row when it was first learned from, by the row's ids. */
  readonly divergences: Map<Int32Array, Float64Array>;
  /** Why the teacher has to be stopped, when the guard says so. */
  stopTeacher: string | undefined;
}

/** How a task is done. */
export interface Solution {
  /** Its actions, in order. */
  readonly plan: readonly string[];
  /** The action that finished the task: the answer, in worlds of questions. */
  readonly answer: string;
  readonly steps: readonly Step[];
}

/** A teacher's scores of the episodes. */
export interface Taught extends Rescored {
  /** The teacher's extra context, by trajectory; empty for the plain context. */
  readonly analyses: ReadonlyMap<string, Analysis>;
  /** Episodes that have no such context. */
  readonly missing: readonly string[];
  /** What rows carry of the teacher beside its log-probabilities. */
  readonly distribution: DistributionOptions | undefined;
}

export interface DistributionOptions {
  readonly vocabularySize: number;
  /** The teacher's most likely words as candidates, or null for the whole distribution as it is. */
  readonly candidates: number | null;
}

/** What the episodes are worth, token by token. */
export interface Credited {
  readonly batch: TrajectoryBatch;
  readonly result: CreditResult;
  readonly rows: readonly TrainRow[];
}
