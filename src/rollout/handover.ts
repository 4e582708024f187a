/**
 * Episodes that another begins: actions that were chosen beforehand are carried out, then the policy goes on. The given
 * steps are recorded as read (mask 0), in exact tokens, as the policy would have written them.
 *
 * Not in the registry: what is given depends on the task, so that it is data and no option.
 */
import { range } from "./ask.ts";
import type { Strategy } from "./strategy.ts";

export interface HandoverOptions {
  /** What an episode of the task begins with, by the task's id; nothing where it is not among them. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  /** Episodes per task. */
  readonly size: number;
  /** Whether the policy goes on; true unless told. Otherwise an episode ends with the last given action. */
  readonly goOn?: boolean;
}

/** `info.guidedSteps` says how many steps an episode was given; one that they ended has nothing of the policy's own. */
export function createHandover({ given, size, goOn = true }: HandoverOptions): Strategy {
  return {
    run: async (scope) => {
      await scope.each(
        scope.tasks,
        async (taskScope, task) => {
          await taskScope.each(range(size), async (own, member) => {
            const walk = await own.open(task, member);
            if (walk === undefined) return;
            for (const action of given.get(task.id) ?? []) {
              if (walk.ending !== undefined) break;
              await walk.impose(action, "demonstrator");
            }
            walk.note({ guidedSteps: walk.depth });
            if (goOn) await walk.advance();
            else if (walk.ending === undefined) await walk.stop("the given actions are over", { scored: true });
          });
        },
        { walks: size },
      );
    },
  };
}
