/** So many episodes of each task, all at the same time, each in a scope and with a purse of its own. */
import type { JsonObject, Task } from "../trajectory/index.ts";
import { range } from "./ask.ts";
import type { Scope } from "./strategy.ts";
import type { Walk } from "../walk/line/walk.ts";

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
