/** A training that is ready to run: its parts, what it is measured by, and where it keeps what it finds. */
import type { Recipe } from "limbeck-core/recipe/recipe";
import type { RunWriter } from "limbeck-store/store/store";
import type { TrainingParts } from "limbeck-core/update/context";
import type { Supply } from "./asynchronous.ts";
import type { TrainProgress } from "./checkpoint.ts";
import type { Spent, TrainEvent } from "./events.ts";
import type { RunRewards } from "./run-rewards.ts";

export interface ValidationPlan {
  /** Updates between two validations; 0 for none. */
  readonly every: number;
  readonly tasks: number;
  readonly split: string;
  /** Also before the first update and after the last, for curves that begin and end. Default: no. */
  readonly ends?: boolean;
}

export interface ReportPlan extends Pick<ValidationPlan, "tasks" | "split"> {
  /** After this update they are looked at once in between, for callers that wait; nothing depends on it. Default: they are not. */
  readonly midway?: number;
}

export interface Training extends TrainingParts {
  readonly run: string;
  readonly recipeName: string;
  readonly recipe: Recipe;
  /** How the strategy is called where a person reads it. */
  readonly strategyName: string;
  /** Numbers that learn. */
  readonly parameters: number;
  /** Where episodes come from that are played elsewhere. Default: they are played here. */
  readonly supplier?: Supply;
  readonly updates: number;
  /**
   * Validation chooses and watches; the tasks of `report` are only looked at before the first and after the last
   * update, and not at all where there are none.
   */
  readonly validation: ValidationPlan;
  readonly report: ReportPlan;
  readonly evaluationTemperature: number;
  /** Ends the training once validation reaches this success; null: never. */
  readonly stopAt: number | null;
  /** Rewards in the place of the world's own, with what they remember. */
  readonly rewards?: RunRewards;
  /** Ends the training after the update with which so much has been spent. Default: never. */
  readonly enough?: (spent: Spent) => boolean;
  readonly checkpointEvery: number;
  /** Folder of the run, as it was given. */
  readonly dir: string;
  /** Keeps the weights of this moment as the best ones. Default: they are not kept. */
  readonly keepBest?: (() => Promise<void>) | undefined;
  /** SHA-256 of the numbers that learn. Default: not computed. */
  readonly digest?: (() => string) | undefined;
  /** As in the context of an update. */
  readonly beforeLearning?: (() => Promise<void>) | undefined;
  readonly progress: TrainProgress;
  /** What an interrupted run has already stored, as `storedKey` names it. */
  readonly stored: ReadonlySet<string>;
  readonly writer: RunWriter;
  /** Saves model, teacher and progress. */
  readonly save: (progress: TrainProgress) => Promise<void>;
  readonly onEvent: (event: TrainEvent) => void;
  /** What a person should know before the first update. Default: nothing. */
  readonly warnings?: readonly string[];
  /** Notices given already. */
  readonly told: Set<string>;
  readonly onProgress?: (label: string, done: number, total: number) => void;
}
