/** `limbeck eval`: play, or look at a stored run. */
import type { Invocation } from "../command.ts";
import { usageError } from "../parse.ts";
import { lookAtRun } from "./look-at-run.ts";
import { playTasks } from "./play-tasks.ts";

/** Options that belong to one of the two ways; the other would silently ignore them. */
const PLAYING = [
  "env-set",
  "policy",
  "model",
  "split",
  "offset",
  "tasks",
  "samples",
  "seed",
  "reference",
  "into",
  "budget",
  "search",
  "rewards",
];
const LOOKING = ["phase", "reward", "reward-set", "keep"];

export function runEval(invocation: Invocation): Promise<number> {
  const [env, run] = [invocation.text("env"), invocation.text("run")];
  if ((env === undefined) === (run === undefined)) {
    throw usageError('"limbeck eval" needs either --env ID, to play, or --run RUN, to look at a stored run.');
  }
  const strangers = (run === undefined ? LOOKING : PLAYING).filter(
    (option) => invocation.texts(option).length > 0 || invocation.text(option) !== undefined || invocation.flag(option),
  );
  if (strangers.length > 0) {
    const where = run === undefined ? "--run RUN, which looks at a stored run" : "--env ID, which plays";
    throw usageError(`--${strangers[0]} belongs to ${where}.`);
  }
  return run === undefined ? playTasks(invocation) : lookAtRun(invocation, run);
}
