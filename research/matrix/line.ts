/** What a line of the matrix is: one registered method, a small setting in which it runs, and who supplies its needs. */
import type { OptionValue } from "../../packages/base/src/base/option-table.ts";
import type { Givens } from "../../packages/core/src/reward/reward.ts";
import type { RewardPlan } from "limbeck/reward";
import type { JsonObject, Task } from "limbeck";
import { EARLIER_SETTINGS } from "../../packages/core/src/update/settings.ts";
import type { Solution } from "../../packages/core/src/update/record.ts";

export const KINDS = ["recipe", "credit", "objective", "strategy", "reward"] as const;
export type Kind = (typeof KINDS)[number];

export interface Line {
  /** "credit/gigpo". */
  readonly id: string;
  readonly kind: Kind;
  readonly env: string;
  readonly envOptions: JsonObject;
  readonly recipe: string;
  readonly credit: string;
  readonly strategy: string;
  readonly objective: string | undefined;
  /** Settings beyond those that all lines share. */
  readonly settings: Readonly<Record<string, OptionValue>>;
  /** Rewards in the place of the world's. */
  readonly reward?: RewardLine;
  /** Who supplies what the method needs, in words. */
  readonly supplied: string;
}

export interface RewardLine {
  readonly plan: RewardPlan;
  /** What is told from outside; `solve` gives the demonstrator's solution of a task. */
  readonly givens: (solve: (task: Task) => Solution | undefined) => Givens;
}

/** What every line shares; small enough for seconds, and the same for all. */
export const SHARED_SETTINGS: Readonly<Record<string, OptionValue>> = {
  tasks: 4,
  group: 4,
  maxSteps: 12,
  answerTokens: 16,
  screens: "off",
  // As they were when the lines were measured.
  ...EARLIER_SETTINGS,
};

export const UPDATES = 20;
/** Held-out tasks before and after. */
export const REPORT_TASKS = 48;
export const SEED = 1;
