/**
 * One action in the world, tried again when the world fails. Worlds are deterministic from their task, so a lost one is
 * opened anew and the actions so far are replayed; that costs environment steps like any others.
 */
import { EngineError, throwIfAborted } from "../../base/index.ts";
import { checkResult } from "../../env/check-result.ts";
import type { StepResult } from "../../env/env.ts";
import { replayWorld } from "./open-world.ts";
import type { LiveWalk } from "./runtime.ts";

/** How an attempt went: the world's answer, or why there is none. */
export type Attempt = { readonly result: StepResult } | { readonly error: unknown };

/** Asks the world once, on the leash of the walk. The step is set aside; it is settled whatever comes of it. */
export function askWorld(walk: LiveWalk, action: string): Promise<StepResult> {
  const { world } = walk;
  if (world === undefined) throw new EngineError("world-lost", `The world of task "${walk.task.id}" was lost.`);
  if (walk.purse.reserve("envSteps", 1) < 1) throw new EngineError("budget", "No environment step is left.");
  try {
    return walk.state.leash.wait(world.step(action, { signal: walk.runtime.signal }), walk.envLimit);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** What follows a first attempt that failed: the world anew and the same action, as often as is allowed. */
export async function tryAgain(walk: LiveWalk, action: string, shown: string, first: Attempt): Promise<StepResult> {
  const { attempts, signal } = walk.runtime;
  let attempt = first;
  for (let round = 1; ; round += 1) {
    if ("error" in attempt) {
      throwIfAborted(signal);
      if (round >= attempts || walk.state.leash.given) throw attempt.error;
    } else if (attempt.result.ending !== "failed" || round >= attempts) return attempt.result;
    await reopen(walk, shown);
    const asked = askWorld(walk, action);
    try {
      const result = await asked;
      checkResult(walk.task, result);
      attempt = { result };
    } catch (error) {
      attempt = { error };
    } finally {
      walk.purse.settle("envSteps", 1, 1);
    }
  }
}

async function reopen(walk: LiveWalk, shown: string): Promise<void> {
  const { world, purse, runtime, task } = walk;
  const actions = walk.episode.filter(({ info }) => info?.["internal"] !== true).map((step) => step.action);
  const paid = purse.reserve("envSteps", actions.length);
  purse.settle("envSteps", paid, paid < actions.length ? 0 : paid);
  await world?.close().catch(() => undefined);
  if (paid < actions.length) throw new EngineError("budget", "No environment steps are left to replay a lost world.");
  const opened = await replayWorld(runtime, task, actions, shown, walk.state.leash);
  walk.world = opened.world;
  if (opened.world === undefined) throw opened.failure;
}
