/**
 * Worlds that are opened, copied and made again. A world is deterministic from its task, so that a lost one is opened anew
 * and its actions are replayed; what a replay shows must equal what was recorded, observation and state key, step by step.
 */
import { EngineError, errorCode, throwIfAborted } from "limbeck-base/base/errors";
import type { Env, Episode } from "../env/env.ts";
import type { Ending, Step, Task } from "limbeck-base/trajectory/trajectory";
import type { Caller, Given } from "./calls.ts";
import { checkEpisode, worldError } from "../env/world-faults.ts";

/** Where the worlds of an episode come from. */
export interface WorldSource {
  readonly env: Env;
  readonly task: Task;
  readonly calls: Caller;
  readonly signal: AbortSignal;
  /** Attempts at a world that fails, the first included. */
  readonly attempts: number;
}

/** What a world shows at a moment; the state key where it is known. */
export interface Seen {
  readonly observation: string;
  readonly stateKey: string | undefined;
  readonly ending?: Ending | undefined;
}

/** Opens the world of the task; one that fails is tried again, one that hangs is not. */
export async function openWorld(source: WorldSource): Promise<Episode> {
  const { env, task } = source;
  for (let round = 1; ; round += 1) {
    try {
      return await haveWorld(source, (given) => env.open(task, given));
    } catch (error) {
      throwIfAborted(source.signal);
      if (!isWorthAnother(source, error, round)) throw error;
    }
  }
}

export async function copyWorld(source: WorldSource, world: Episode): Promise<Episode> {
  return await haveWorld(source, () => world.fork(), world);
}

/** The episode is over: what a world fails to free costs nothing that was played. */
export async function closeWorld(world: Episode | undefined): Promise<void> {
  try {
    await world?.close();
  } catch {
    // Its result is known; a world that fails to close changes nothing of it.
  }
}

/** Whether a world that failed is tried again; one that hangs is not. */
export function isWorthAnother({ attempts }: WorldSource, error: unknown, round: number): boolean {
  return round < attempts && errorCode(error) !== "env-timeout";
}

/** Steps that the world took part in; others were between the agent and its own context. */
export function worldSteps(steps: readonly Step[]): number {
  return steps.reduce((count, step) => count + (isInternal(step) ? 0 : 1), 0);
}

export function isInternal(step: Step | undefined): boolean {
  return step?.info?.["internal"] === true;
}

/** Thrown where a replay shows something else than what was recorded: the world is not deterministic. */
export class ReplayDiverged extends EngineError {
  /** The place in the replayed steps after which it showed. */
  readonly after: number;

  constructor(task: Task, after: number, steps: number) {
    super(
      "replay-diverged",
      `Replaying ${steps} actions of task "${task.id}" came out elsewhere after ${after}; the world is not deterministic.`,
      { details: { task: task.id, after } },
    );
    this.after = after;
  }
}

/** The world after these steps, each compared with what was recorded; from a copy of a world, or from a fresh opening. */
export async function replayWorld(
  source: WorldSource,
  steps: readonly Step[],
  closing: Seen,
  from?: Episode,
): Promise<Episode> {
  const world = from === undefined ? await openWorld(source) : await copyWorld(source, from);
  try {
    for (const [at, step] of steps.entries()) {
      if (isInternal(step)) continue;
      if (!shows(world, step, steps[at - 1])) throw new ReplayDiverged(source.task, at, steps.length);
      await source.calls.world((given) => world.step(step.action, given));
    }
    if (world.ending === closing.ending && shows(world, closing, steps.at(-1))) return world;
    throw new ReplayDiverged(source.task, steps.length, steps.length);
  } catch (error) {
    await closeWorld(world);
    throwIfAborted(source.signal);
    throw worldError(source.task, "step", error);
  }
}

/** An answer for the agent itself leaves the world as it was, but for what the agent was shown. */
function shows(world: Episode, { observation, stateKey }: Seen, before: Step | undefined): boolean {
  const isSameState = stateKey === undefined || world.stateKey === stateKey;
  return isSameState && (isInternal(before) || world.observation === observation);
}

/** Opens or copies a world. When it is not waited for any more, what it holds is freed. */
async function haveWorld(
  { calls, task }: WorldSource,
  make: (given: Given) => Promise<Episode>,
  from?: Episode,
): Promise<Episode> {
  let making: Promise<Episode> | undefined;
  try {
    const made = await calls.opening((given) => (making = make(given)));
    checkEpisode(task, made, from);
    return made;
  } catch (error) {
    void Promise.resolve(making).then((made) => (made === from ? undefined : closeWorld(made)), ignored);
    throw worldError(task, from === undefined ? "open" : "fork", error);
  }
}

/** The error has been thrown already. */
const ignored = (): void => undefined;
