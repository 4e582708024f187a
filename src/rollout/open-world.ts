/** Opening a world for a walk. A world that fails, hangs or answers nonsense gives a failure, never a rejection. */
import { EngineError, throwIfAborted } from "../base/index.ts";
import type { Episode } from "../env/index.ts";
import type { Task } from "../trajectory/index.ts";
import type { Runtime, WalkState } from "./runtime.ts";

export type Opened = Pick<WalkState, "world" | "failure">;

export async function openWorld(runtime: Runtime, task: Task): Promise<Opened> {
  const { env, watchdog, limits, signal } = runtime;
  let late = false;
  const opening = async (own: AbortSignal): Promise<Episode> => {
    const world = await env.open(task, { signal: own });
    // Nobody waits for it any more: what it holds is freed.
    if (late) await world.close().catch(() => undefined);
    return world;
  };
  try {
    const world = await watchdog.guard(opening, {
      ms: limits.envSeconds * 1_000,
      code: "env-timeout",
      what: () => `The world of task "${task.id}"`,
    });
    if (typeof world.observation === "string") return { world };
    await world.close().catch(() => undefined);
    throw new EngineError(
      "bad-world",
      `The opening of task "${task.id}" is a ${typeof world.observation}, not a text.`,
    );
  } catch (error) {
    late = true;
    throwIfAborted(signal);
    return { world: undefined, failure: error };
  }
}

/** The world after these actions. Worlds are deterministic from their task; one that is not is found out here. */
export async function replayWorld(
  runtime: Runtime,
  task: Task,
  actions: readonly string[],
  observation: string | undefined,
): Promise<Opened> {
  const opened = await openWorld(runtime, task);
  const { world } = opened;
  if (world === undefined) return opened;
  try {
    for (const action of actions) await world.step(action, { signal: runtime.signal });
    if (world.ending === undefined && (observation === undefined || world.observation === observation)) return opened;
    throw new EngineError(
      "replay-diverged",
      `Replaying ${actions.length} actions of task "${task.id}" came out elsewhere; the world is not deterministic.`,
    );
  } catch (error) {
    await world.close().catch(() => undefined);
    throwIfAborted(runtime.signal);
    return { world: undefined, failure: error };
  }
}
