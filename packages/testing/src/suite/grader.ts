/**
 * The contract of a grader: a finished episode of a task in, a number from 0 to 1 out, or why there is none. What a grader
 * cannot know from the episode (a model to ask, the world to probe, a program to run) is a tool that it is handed; one
 * that is missing or fails leaves the episode unscored, never 0.
 */
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import type { Json } from "limbeck-base/base/json";
import { responseText } from "limbeck-core/reward/response";
import { isInternal } from "limbeck-core/walk/worlds";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";

/** What a grader looks at. */
export interface Finished {
  readonly trajectory: Trajectory;
  /** The `answer` of the task; undefined where it has none. */
  readonly answer: Json | undefined;
  readonly prompt: string;
}

export interface Ran {
  /** Whether it ended by itself with code 0. */
  readonly ok: boolean;
  /** The end of what it wrote, or why it was stopped. */
  readonly output: string;
}

export interface GraderTools {
  /**
   * Carries out an action in a copy of the world as the agent left it and gives what it shows. Where the last step ended the
   * world it is the world before that step. Rejects where the world cannot be played again.
   */
  readonly probe: (action: string) => Promise<string>;
  /** Asks a model; undefined where none was given. */
  readonly ask?: ((prompt: string) => Promise<string>) | undefined;
  /** Runs a Python program with limits; undefined where it was not allowed. */
  readonly runPython?: ((program: string) => Promise<Ran>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Grade {
  readonly score: Score;
  /** For a person: what was missing. */
  readonly why?: string;
}

export interface Grader<Table extends DeepTable = DeepTable> {
  readonly id: string;
  /** One sentence; what `answer` has to be stands in it. */
  readonly meaning: string;
  readonly options: Table;
  /** What is wrong with the answer of a task, in words, before anything is played. Default: any answer will do. */
  check?(answer: Json | undefined, options: OptionValues<Table>): string | undefined;
  /** Called only with answers that passed the check. */
  grade(finished: Finished, options: OptionValues<Table>, tools: GraderTools): Grade | Promise<Grade>;
}

/** Options get their types from the table. */
export function defineGrader<const Table extends DeepTable>(grader: Grader<Table>): Grader {
  // The runner has read the options by the table before it calls.
  return grader;
}

/** The last thing that the agent said to the world; empty without a step. */
export function finalText({ steps }: Pick<Trajectory, "steps">): string {
  const last = steps.findLast((step) => !isInternal(step));
  return last === undefined ? "" : responseText(last);
}
