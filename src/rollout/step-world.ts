/**
 * One action in the world, tried again when the world fails. Worlds are deterministic from their task, so a lost one is
 * opened anew and the actions so far are replayed; that costs environment steps like any others.
 */
import { EngineError, throwIfAborted } from "../base/index.ts";
import type { StepResult } from "../env/index.ts";
import { replayWorld } from "./open-world.ts";
import type { LiveWalk } from "./runtime.ts";

export async function stepWorld(walk: LiveWalk, action: string): Promise<StepResult> {
  const { attempts, signal } = walk.runtime;
  for (let round = 1; ; round += 1) {
    const { world } = walk;
    if (world === undefined) throw new EngineError("world-lost", `The world of task "${walk.task.id}" was lost.`);
    if (walk.purse.reserve("envSteps", 1) < 1) throw new EngineError("budget", "No environment step is left.");
    const shown = world.observation;
    try {
      const result = await walk.state.leash.wait(world.step(action, { signal }), walk.envLimit);
      checkResult(walk, result);
      if (result.ending !== "failed" || round >= attempts) return result;
    } catch (error) {
      throwIfAborted(signal);
      if (round >= attempts || walk.state.leash.given) throw error;
    } finally {
      walk.purse.settle("envSteps", 1, 1);
    }
    await reopen(walk, shown);
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

/** The types say so, but a world of another language or an unchecked one may answer anything. */
function checkResult(walk: LiveWalk, { observation, reward }: StepResult): void {
  const fault =
    typeof observation !== "string"
      ? `its observation is ${observation === null ? "null" : `a ${typeof observation}`}, not a text`
      : reward?.kind === "unscored" || (reward?.kind === "scored" && Number.isFinite(reward.value))
        ? undefined
        : "its reward is neither a finite number nor unscored";
  if (fault === undefined) return;
  throw new EngineError("bad-world", `The world of task "${walk.task.id}" cannot be used: ${fault}.`, {
    details: { task: walk.task.id },
  });
}
