/** One step, and whether it is right is luck even for a random model: a share of all answers is. Tasks have no end. */
import { episodeOf } from "../../packages/core/src/env/episode-of.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";

/** One answer in `odds` is right. */
export function createLuckyWorld(odds = 3, name = "lucky"): Env {
  const taskOf = (split: string, index: number): Task => ({
    id: `${name}-${split}-${index}`,
    env: "lucky",
    seed: index,
    goal: `Say ${index}.`,
    split,
  });
  return {
    id: "lucky",
    summary: "Say something.",
    maxSteps: 1,
    splits: { train: Number.POSITIVE_INFINITY, valid: 4 },
    tasks: (split, { offset = 0, count = 1 } = {}) =>
      Array.from({ length: count }, (_, place) => taskOf(split, offset + place)),
    open: (task) => {
      const isRight = (said: string): boolean =>
        Array.from(said).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % odds === 0;
      return Promise.resolve(
        episodeOf<string | undefined>(task, undefined, {
          observation: (said) => (said === undefined ? task.goal : "Over."),
          stateKey: (said) => said ?? "start",
          ending: (said) => (said === undefined ? undefined : "terminated"),
          reward: (said) => scored(said !== undefined && isRight(said) ? 1 : 0),
          success: (said) => (said === undefined ? null : isRight(said)),
          step: (_, action) => ({ state: action, valid: true, reward: scored(isRight(action) ? 1 : 0) }),
        }),
      );
    },
  };
}
