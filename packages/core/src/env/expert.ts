/**
 * The contract of a demonstrator: a scripted agent that acts on what it has seen, never on hidden state.
 *
 * Good ones are experts, for hints and for data to learn from; weak ones make the data a starting policy is trained on.
 */
import type { Rng } from "limbeck-base/base/rng";
import type { Task } from "limbeck-base/trajectory/trajectory";

/** One moment of an episode as the agent meets it. */
export interface Seen {
  /** The action that led here; undefined at the opening. It need not be the one the demonstrator chose. */
  readonly action: string | undefined;
  readonly observation: string;
  /** The accepted actions, where the world lists them. */
  readonly admissible?: readonly string[] | undefined;
}

export interface Demonstration {
  /** The next action. Called once for every moment, in order; only then does it know all that has been seen. */
  next(seen: Seen): string;
}

export interface Demonstrator {
  /** Unique in its world: "expert", "wanderer". */
  readonly id: string;
  /** One sentence: what it knows and what it does not. */
  readonly summary: string;
  /** Of the task only the goal may guide it. `rng` is for demonstrators that guess. */
  start(task: Task, rng: Rng): Demonstration;
  /** The next action after a past, of one that lives elsewhere and answers later. It is asked in the place of `start`. */
  advise?(task: Task, past: readonly Seen[], rng: Rng): Promise<string | undefined>;
}

/**
 * What the demonstrator would do now, after a past in which others may have chosen the actions.
 *
 * @example
 * import { expert } from "limbeck-worlds/countdown/demonstrators";
 *
 * const task = { id: "own", env: "countdown", seed: 1, goal: "Numbers: 2, 3. Target: 6. Use each number exactly once.", split: "train" };
 * console.log(hint(expert, task, [{ action: undefined, observation: task.goal }], createRng(1))); // <think>2 * 3 = 6.</think> <answer>2 * 3</answer>
 */
export function hint(demonstrator: Demonstrator, task: Task, past: readonly Seen[], rng: Rng): string | undefined {
  const demonstration = demonstrator.start(task, rng);
  let action: string | undefined;
  for (const seen of past) action = demonstration.next(seen);
  return action;
}

/** The same of any demonstrator, also of one that lives elsewhere. */
export async function advice(
  demonstrator: Demonstrator,
  task: Task,
  past: readonly Seen[],
  rng: Rng,
): Promise<string | undefined> {
  if (demonstrator.advise === undefined) return hint(demonstrator, task, past, rng);
  return await demonstrator.advise(task, past, rng);
}
