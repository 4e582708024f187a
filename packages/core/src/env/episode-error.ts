/** The errors every world answers misuse with, so that callers can branch on one set of codes. */
import { EngineError } from "limbeck-base/base/errors";
import { unknownName } from "limbeck-base/base/registry";
import type { Ending, Task } from "limbeck-base/trajectory/trajectory";

/**
 * The error for a step after the end.
 *
 * @example
 * const task = { id: "maze/1", env: "maze", seed: 1, goal: "Find the way out.", split: "train" };
 * console.log(episodeEnded(task, "terminated").code); // episode-ended
 */
export function episodeEnded(task: Task, ending: Ending): EngineError {
  return new EngineError(
    "episode-ended",
    `The episode of task "${task.id}" has ended (${ending}); no further step is possible. Open the task again, or fork before the end.`,
    { details: { task: task.id, ending } },
  );
}

/**
 * The error for a step after `close`.
 *
 * @example
 * const task = { id: "maze/1", env: "maze", seed: 1, goal: "Find the way out.", split: "train" };
 * console.log(episodeClosed(task).message); // The episode of task "maze/1" is closed. Open the task again.
 */
export function episodeClosed(task: Task): EngineError {
  return new EngineError("episode-closed", `The episode of task "${task.id}" is closed. Open the task again.`, {
    details: { task: task.id },
  });
}

/**
 * The error for a split that the world does not have.
 *
 * @example
 * console.log(unknownSplit("maze", "tain", ["train", "test"]).message); // No split of maze "tain". Did you mean "train"? Known: test, train.
 */
export function unknownSplit(envId: string, split: string, known: readonly string[]): EngineError {
  return unknownName(split, known, `split of ${envId}`);
}
