/**
 * A toy world of a few lines: a corridor of rooms, the goal in the last. It shows how small an environment can be and
 * is what wrappers are tried on.
 */
import { scored } from "limbeck-base/trajectory/score";
import type { Ending, Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode } from "./env.ts";
import { unknownSplit } from "./episode-error.ts";
import { episodeOf } from "./episode-of.ts";

export interface CorridorOptions {
  /** Rooms in the corridor; the agent starts in room 1. */
  readonly rooms?: number;
  readonly maxSteps?: number;
}

const SIZES = { train: 8, valid: 4 } as const;

export function createCorridor(options: CorridorOptions = {}): Env {
  const { rooms = 4, maxSteps = 12 } = options;
  return {
    id: "corridor",
    summary: "Walk to the last room of a corridor.",
    maxSteps,
    splits: SIZES,
    tasks: (split, { offset = 0, count = Number.POSITIVE_INFINITY } = {}) => {
      if (!Object.hasOwn(SIZES, split)) throw unknownSplit("corridor", split, Object.keys(SIZES));
      const numbers = Array.from({ length: SIZES[split as keyof typeof SIZES] }, (_, index) => index);
      return numbers.slice(offset, offset + count).map((index) => ({
        id: `corridor-${split}-${index}`,
        env: "corridor",
        seed: index,
        goal: `Reach room ${rooms}.`,
        split,
      }));
    },
    open: (task) => Promise.resolve(openAt(task, { rooms, maxSteps }, { room: 1, steps: 0, observation: "Room 1." })),
  };
}

interface State {
  readonly room: number;
  readonly steps: number;
  readonly observation: string;
}

function openAt(task: Task, { rooms, maxSteps }: Required<CorridorOptions>, start: State): Episode {
  const won = ({ room }: State): boolean => room === rooms;
  const ending = (state: State): Ending | undefined =>
    won(state) ? "terminated" : state.steps >= maxSteps ? "truncated" : undefined;
  const admissible = (state: State): readonly string[] => {
    if (ending(state) !== undefined) return [];
    return state.room === 1 ? ["go east"] : ["go east", "go west"];
  };
  return episodeOf(task, start, {
    observation: ({ observation }) => observation,
    stateKey: ({ room }) => `room ${room}`,
    ending,
    reward: (state) => scored(won(state) ? 1 : 0),
    success: (state) => (ending(state) === undefined ? null : won(state)),
    admissible,
    step: (before, action) => {
      const valid = admissible(before).includes(action);
      const room = before.room + (valid ? (action === "go east" ? 1 : -1) : 0);
      const state = { room, steps: before.steps + 1, observation: valid ? `Room ${room}.` : "A wall." };
      return { state, valid, reward: scored(valid && won(state) ? 1 : 0) };
    },
  });
}
