/** Asking a reflector or a corrector: paid beforehand, and one that fails has nothing to say. */
import { throwIfAborted } from "../base/index.ts";
import type { AskOptions, Finished } from "../walk/judge.ts";
import type { Walk } from "../walk/line/walk.ts";

export async function ask<Reply>(
  walk: Walk,
  signal: AbortSignal,
  question: (finished: Finished, options: AskOptions) => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  const { purse, task } = walk;
  const paid = purse.reserve("modelCalls", 1);
  purse.settle("modelCalls", paid, paid);
  if (paid < 1) return undefined;
  try {
    return await question({ task, trajectory: walk.trajectory(), steps: walk.episode }, { signal });
  } catch {
    // Somebody who cannot answer costs the walk its question; strategies go on without.
    throwIfAborted(signal);
    return undefined;
  }
}

/** An episode that somebody scored and that did not reach its goal. What nobody scored may have succeeded. */
export function hasFailed({ ending, reward, success }: Walk): boolean {
  return ending !== undefined && reward.kind === "scored" && success !== true;
}

/** Whether a branch may begin at this step: it is one of the walk's own, and it was carried out. */
export function isOwnStep(walk: Walk, step: number): boolean {
  const first = walk.depth - walk.steps.length;
  const taken = Number.isInteger(step) ? walk.steps[step - first] : undefined;
  return taken !== undefined && taken.info?.["unfinished"] !== true;
}

/** 0 to count - 1. */
export function range(count: number): number[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => index);
}
