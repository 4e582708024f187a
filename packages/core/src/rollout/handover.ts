/**
 * Episodes that another begins: actions that were chosen beforehand are carried out, then the policy goes on. The given
 * steps are recorded as read (mask 0), in exact tokens, as the policy would have written them.
 *
 * Not in the registry: what is given depends on the task, so that it is data and no option.
 */
import type { Task } from "limbeck-base/trajectory/trajectory";
import { range } from "./ask.ts";
import type { Strategy } from "./strategy.ts";

export interface HandoverOptions {
  /** Asked once for each task. */
  readonly start: (task: Task) => Handover | Promise<Handover>;
  /** Episodes per task. */
  readonly size: number;
}

export interface Handover {
  /** What an episode begins with. */
  readonly actions: readonly string[];
  /** Turns of the policy after them, at most. Default: as many as the world allows. 0: it does not go on. */
  readonly turns?: number;
}

/** `info.guidedSteps` says how many steps an episode was given; one that they ended has nothing of the policy's own. */
export function createHandover({ start, size }: HandoverOptions): Strategy {
  return {
    run: async (scope) => {
      await scope.each(
        scope.tasks,
        async (taskScope, task) => {
          const { actions, turns = Infinity } = await start(task);
          await taskScope.each(range(size), async (own, member) => {
            const walk = await own.open(task, member);
            if (walk === undefined) return;
            for (const action of actions) {
              if (walk.ending !== undefined) break;
              await walk.impose(action, "demonstrator");
            }
            const given = walk.depth;
            walk.note({ guidedSteps: given });
            if (turns > 0) await walk.advance(({ depth }) => depth >= given + turns);
            if (walk.ending === undefined) await walk.stop("its turns are over", { scored: true });
          });
        },
        { walks: size },
      );
    },
  };
}
