/** Asking a reflector or a corrector: paid beforehand, and one that fails has nothing to say. */
import { throwIfAborted } from "limbeck-base/base/errors";
import { jaccard, wordSet } from "limbeck-base/base/words";
import type { AskOptions, Finished } from "../walk/judge.ts";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Scope, Walk } from "./strategy.ts";

export async function ask<Reply>(
  walk: Walk,
  signal: AbortSignal,
  question: (finished: Finished, options: AskOptions) => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  const { purse, task } = walk;
  if (!payCall(purse)) return undefined;
  try {
    return await question({ task, trajectory: walk.trajectory(), steps: walk.episode }, { signal });
  } catch {
    // An assistant that cannot answer costs the walk its question; strategies go on without.
    throwIfAborted(signal);
    return undefined;
  }
}

/** Pays one model call; false, and nothing spent, when none is left. */
export function payCall(purse: Scope["purse"]): boolean {
  const paid = purse.reserve("modelCalls", 1);
  purse.settle("modelCalls", paid, paid);
  return paid === 1;
}

/** A scored episode that did not reach its goal. An unscored one may have succeeded. */
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

// So many episodes of each task, all at the same time, each in a scope and with a purse of its own.

export interface MemberOptions {
  /** Members per task. */
  readonly size: number;
  /** For how many whole episodes a member needs money. Default: 1. */
  readonly walks?: number;
}

/** Works on every member of every task of the rollout. */
export async function eachMember(
  scope: Scope,
  { size, walks = 1 }: MemberOptions,
  work: (own: Scope, task: Task, member: number) => Promise<void>,
): Promise<void> {
  await scope.each(
    scope.tasks,
    async (taskScope, task) => {
      await taskScope.each(range(size), (own, member) => work(own, task, member), { walks });
    },
    { walks: walks * size },
  );
}

/**
 * Walks a group of each task to the end. What `read` makes of a group is kept, for each task; lost episodes are not in it.
 * The episodes of a task hold its note in their info, where there are notes.
 */
export async function walkGroups<Result>(
  scope: Scope,
  tasks: readonly Task[],
  size: number,
  read: (walks: readonly Walk[]) => Result,
  notes?: ReadonlyMap<string, JsonObject>,
): Promise<Result[]> {
  return await scope.each(
    tasks,
    async (taskScope, task) => {
      const info = notes?.get(task.id);
      const walks = await taskScope.each(range(size), async (own, member) => {
        const walk = await own.open(task, member, info === undefined ? {} : { info });
        await walk?.advance();
        return walk;
      });
      return read(walks.filter((walk) => walk !== undefined));
    },
    { walks: size },
  );
}

/** How alike two goals are: the share of their words that both have. */
export function goalLikeness(left: string, right: string): number {
  return jaccard(wordSet(left), wordSet(right));
}
