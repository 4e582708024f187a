/** Opening a world for a walk. A world that fails, hangs or answers nonsense gives a failure, never a rejection. */
import { EngineError, throwIfAborted } from "../../base/index.ts";
import type { Episode } from "../../env/env.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Runtime, WalkState } from "./runtime.ts";
import type { CallLimit, Leash } from "../watchdog.ts";

export type Opened = Pick<WalkState, "world" | "failure">;

export function envLimit({ limits }: Runtime, task: Task): CallLimit {
  return { ms: limits.envSeconds * 1_000, code: "env-timeout", what: () => `The world of task "${task.id}"` };
}

export async function openWorld(runtime: Runtime, task: Task, leash: Leash): Promise<Opened> {
  const { env, signal, attempts } = runtime;
  const limit = envLimit(runtime, task);
  for (let round = 1; ; round += 1) {
    let opening: Promise<Episode> | undefined;
    try {
      opening = env.open(task, { signal });
      const world = await leash.wait(opening, limit);
      if (typeof world.observation === "string") return { world };
      await world.close().catch(() => undefined);
      throw new EngineError(
        "bad-world",
        `The opening of task "${task.id}" is a ${typeof world.observation}, not a text.`,
      );
    } catch (error) {
      // Should it come yet, nobody waits for it any more: what it holds is freed.
      opening?.then((world) => world.close()).catch(() => undefined);
      throwIfAborted(signal);
      if (round >= attempts || leash.given) return { world: undefined, failure: error };
    }
  }
}

/** The world after these actions. Worlds are deterministic from their task; one that is not is found out here. */
export async function replayWorld(
  runtime: Runtime,
  task: Task,
  actions: readonly string[],
  observation: string | undefined,
  leash: Leash,
): Promise<Opened> {
  const opened = await openWorld(runtime, task, leash);
  const { world } = opened;
  if (world === undefined) return opened;
  try {
    const limit = envLimit(runtime, task);
    for (const action of actions) await leash.wait(world.step(action, { signal: runtime.signal }), limit);
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
