/**
 * A toy world of a few lines: a corridor of rooms, the goal in the last. It shows how small an environment can be and
 * is what wrappers are tried on.
 */
import { scored, type Ending, type Task } from "../trajectory/index.ts";
import type { Env, Episode } from "./env.ts";
import { episodeClosed, episodeEnded, unknownSplit } from "./episode-error.ts";

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
    open: (task) => Promise.resolve(episode(task, { rooms, maxSteps }, { room: 1, steps: 0, observation: "Room 1." })),
  };
}

interface State {
  readonly room: number;
  readonly steps: number;
  readonly observation: string;
}

function episode(task: Task, limits: Required<CorridorOptions>, start: State): Episode {
  const { rooms, maxSteps } = limits;
  let state = start;
  let closed = false;
  const won = (): boolean => state.room === rooms;
  const ending = (): Ending | undefined => (won() ? "terminated" : state.steps >= maxSteps ? "truncated" : undefined);
  const success = (): boolean | null => (ending() === undefined ? null : won());
  const moves = (): readonly string[] => {
    if (ending() !== undefined) return [];
    return state.room === 1 ? ["go east"] : ["go east", "go west"];
  };
  return {
    task,
    get observation() {
      return state.observation;
    },
    get stateKey() {
      return `room ${state.room}`;
    },
    get ending() {
      return ending();
    },
    get reward() {
      return scored(won() ? 1 : 0);
    },
    get success() {
      return success();
    },
    admissible: moves,
    step: async (action) => {
      if (closed) throw episodeClosed(task);
      const end = ending();
      if (end !== undefined) throw episodeEnded(task, end);
      const valid = moves().includes(action);
      const room = state.room + (valid ? (action === "go east" ? 1 : -1) : 0);
      state = { room, steps: state.steps + 1, observation: valid ? `Room ${room}.` : "A wall." };
      const reward = scored(valid && won() ? 1 : 0);
      return { observation: state.observation, reward, valid, ending: ending(), success: success() };
    },
    fork: () => Promise.resolve(episode(task, limits, state)),
    close: async () => {
      closed = true;
    },
  };
}
