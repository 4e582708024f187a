/** Which episodes a scorer learns from, stops by and is judged by. */
import { createRng, shuffle } from "../../base/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { TrainScorerOptions } from "./train-scorer-options.ts";

/** Whole tasks, so that nothing of a held-out task was seen: an eighth tells when to stop, and the last fifth is held out. */
export function parts({ trajectories, heldOut, seed = 0 }: TrainScorerOptions) {
  const usable = trajectories.filter(({ ending }) => ending !== "failed");
  const tasks = shuffle([...new Set(usable.map(({ task }) => task.id))], createRng(`scorer ${seed}`));
  const test = heldOut === undefined ? new Set(tasks.splice(0, Math.ceil(tasks.length / 5))) : new Set<string>();
  const valid = new Set(tasks.splice(0, Math.max(1, Math.round(tasks.length / 8))));
  const seen = new Set(heldOut?.map(({ task }) => task.id));
  return {
    train: usable.filter(({ task }) => tasks.includes(task.id) && !seen.has(task.id)),
    valid: usable.filter(({ task }) => valid.has(task.id) && !seen.has(task.id)),
    test: heldOut ?? usable.filter(({ task }) => test.has(task.id)),
  };
}

/** Of the failures so many for each success; the successes all. */
export function balanced(
  played: readonly Trajectory[],
  { balance, seed = 0 }: TrainScorerOptions,
): readonly Trajectory[] {
  if (balance === undefined) return played;
  const failures = played.filter(({ success }) => success === false);
  const wanted = Math.ceil(balance * played.filter(({ success }) => success === true).length);
  const kept = new Set(shuffle(failures, createRng(`balance ${seed}`)).slice(0, wanted));
  return played.filter((one) => one.success !== false || kept.has(one));
}
