/** The errors every world answers misuse with, so that callers can branch on one set of codes. */
import { EngineError, unknownName } from "../base/index.ts";
import type { Ending, Task } from "../trajectory/index.ts";

export function episodeEnded(task: Task, ending: Ending): EngineError {
  return new EngineError(
    "episode-ended",
    `The episode of task "${task.id}" has ended (${ending}); no further step is possible. Open the task again, or fork before the end.`,
    { details: { task: task.id, ending } },
  );
}

export function episodeClosed(task: Task): EngineError {
  return new EngineError("episode-closed", `The episode of task "${task.id}" is closed. Open the task again.`, {
    details: { task: task.id },
  });
}

export function unknownSplit(envId: string, split: string, known: readonly string[]): EngineError {
  return unknownName(split, known, `split of ${envId}`);
}
