/** How a walk ends: by its world, by a limit, by a failure. What it held is closed, and the judge is heard. */
import { EngineError, errorData, isAbort, type PlainError } from "../../base/index.ts";
import { unscored, type Ending, type Reward } from "../../trajectory/index.ts";
import { askJudge, type Judgement } from "../judge.ts";
import type { LiveWalk } from "./runtime.ts";
import { unfinishedStep } from "./recorded-decision.ts";

/** Limits of the episode itself: what the world says so far counts. Any other stop leaves the episode unscored. */
const SCORED_STOPS: ReadonlySet<string> = new Set(["tokens", "time", "context"]);

export async function stopWalk(walk: LiveWalk, why: string): Promise<undefined> {
  walk.stopped = why;
  walk.scoredStop ||= SCORED_STOPS.has(why);
  await endWalk(walk, "truncated");
}

export async function failWalk(walk: LiveWalk, error: unknown): Promise<void> {
  walk.failure = storedError(error);
  await endWalk(walk, "failed");
}

export async function endWalk(walk: LiveWalk, ending: Ending): Promise<void> {
  if (walk.ending !== undefined) return;
  const { reward } = walk.world ?? {};
  if (reward?.kind === "scored" && !Number.isFinite(reward.value) && ending !== "failed") {
    const message = `The world of task "${walk.task.id}" cannot be used: the episode's reward is ${reward.value}, not a finite number.`;
    return await failWalk(walk, new EngineError("bad-world", message, { details: { task: walk.task.id } }));
  }
  keepUnfinished(walk);
  walk.ending = ending;
  if (ending === "failed")
    walk.failure ??= walk.world?.failure ?? { code: "world-lost", message: "The world was lost." };
  const { runtime, world } = walk;
  walk.durationMs = runtime.now() - walk.startedMs;
  const judged = walk.reward.kind === "scored" || (ending !== "failed" && walk.stopped === undefined);
  if (runtime.judge !== undefined && judged && !runtime.signal.aborted) await judge(walk);
  walk.mind.close();
  walk.state.leash.release();
  await world?.close().catch(() => undefined);
  walk.state.home.ended(walk);
}

/** An answer that was begun and never carried out is kept as a step that did nothing, so that no sampled token is lost. */
function keepUnfinished(walk: LiveWalk): void {
  const { mind, world } = walk;
  if (mind.said === 0 || world === undefined) return;
  const decision = mind.decide();
  if (decision.span !== undefined && decision.span.start === decision.span.end) return;
  const { observation, stateKey } = world;
  walk.steps.push(unfinishedStep(walk, decision, { observation, stateKey }));
}

/** A failed judge leaves the episode unscored, with the reason kept. */
async function judge(walk: LiveWalk): Promise<void> {
  const { runtime, task, purse } = walk;
  const needed = runtime.judge?.modelCalls ?? 0;
  const paid = purse.reserve("modelCalls", needed);
  try {
    if (paid < needed) throw new EngineError("budget", "no model calls are left to pay it");
    const finished = { task, trajectory: walk.trajectory(), steps: walk.episode };
    if (runtime.judge !== undefined) {
      walk.judgement = await askJudge(runtime.judge, finished, { signal: runtime.signal });
    }
  } catch (error) {
    const score = unscored(`The judge failed: ${isAbort(error) ? "cancelled" : errorData(error).message}`);
    const failed: Reward = { name: "judge", source: "judge", score };
    walk.judgement = { reward: score, success: null, rewards: [failed] } satisfies Judgement;
  } finally {
    purse.settle("modelCalls", paid, paid < needed ? 0 : paid);
  }
}

/** What an error leaves in a trajectory: plain JSON, whatever its details were. */
function storedError(error: unknown): PlainError {
  const data = errorData(error);
  try {
    return JSON.parse(JSON.stringify(data)) as PlainError;
  } catch {
    return { code: data.code, message: data.message };
  }
}
