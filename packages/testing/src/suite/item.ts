/** The nouns of a suite that is played: a task that was opened, the place where it is played, and its graded episode. */
import type { Env } from "limbeck-core/env/env";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { World } from "limbeck-core/env/world";
import type { Score, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Grade } from "./grader.ts";
import type { Newness, SuiteTask } from "./suite.ts";

/** One task, opened. */
export interface SuiteItem {
  /** Unique in the suite. */
  readonly id: string;
  readonly task: Task;
  /** The entry that it comes from. */
  readonly from: SuiteTask;
  readonly template: string | undefined;
  /** Undefined where the suite does not say what was seen. */
  readonly unseen: Newness | undefined;
}

/** Tasks that are played in one world. */
export interface Place {
  /** "prompt" for questions. */
  readonly id: string;
  readonly env: Env;
  /** Who can play here by name: "perfect" and "empty" everywhere. */
  readonly demonstrators: Readonly<Record<string, Demonstrator>>;
  /** The optional package that the world takes. */
  readonly part?: World["part"];
  readonly maxSteps: number | undefined;
  readonly items: readonly SuiteItem[];
}

export interface GradedEpisode {
  readonly item: SuiteItem;
  readonly trajectory: Trajectory;
  /** From 0 to 1; of a value where between its poles the answer lies. */
  readonly score: Score;
  /** By grader. */
  readonly parts: Readonly<Record<string, Grade>>;
}
