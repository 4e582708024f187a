/**
 * Grid: a room with walls, as text. The walker goes to the goal, or pushes boxes onto goals. How far it is from there is known
 * at every step, so that an episode is worth a distance as well as a success.
 */
import { scored, type Env, type Episode, type Rng, type Task, option, defineWorld } from "limbeck";
import { drawnEnv, episodeOf, type Demonstrator } from "limbeck/env";
import {
  drawLevel,
  isSolved,
  levels,
  moved,
  progressOf,
  shortestWay,
  SIZE,
  WAYS,
  type Grid,
  type Level,
  type LevelId,
  type Place,
} from "./grid-level.ts";

const ID = "grid";
const SUMMARY = "Walk to a goal, or push boxes onto goals, in a room with walls.";

interface GridOptions {
  readonly seed: number;
  readonly level: LevelId;
  readonly partialCredit: boolean;
}

function createGrid({ seed, level, partialCredit }: GridOptions): Env {
  const { steps } = levels[level];
  return drawnEnv<Level>({
    id: ID,
    summary: SUMMARY,
    maxSteps: steps,
    seed,
    dial: level,
    draw: drawLevel,
    key: ({ grid, start }) => textOf(grid, start),
    goal: ({ start }) => `${start.boxes.length === 0 ? "Walk to the goal" : "Push every box onto a goal"}.`,
    open: (task, drawn) => openLevel(task, drawn, { steps, partialCredit }),
  });
}

/** As the walker sees it: the column and line it stands on, and how far everything is from there, the nearest first. */
function textOf({ goals, walls }: Grid, { you, boxes }: Place): string {
  const [column, line] = [you % SIZE, Math.floor(you / SIZE)];
  const sides = (cell: number): readonly [number, string][] => {
    const [x, y] = [(cell % SIZE) - column, Math.floor(cell / SIZE) - line];
    return [
      [Math.abs(x), x > 0 ? "right" : "left"],
      [Math.abs(y), y > 0 ? "down" : "up"],
    ];
  };
  const far = (cell: number): number => sides(cell).reduce((sum, [steps]) => sum + steps, 0);
  const where = (cell: number): string => sides(cell).flatMap(([steps, way]) => (steps === 0 ? [] : [`${way} ${steps}`])).join(" ") || "here"; // prettier-ignore
  const named = Object.entries({ box: boxes, goal: goals, wall: walls }).flatMap(([name, cells]) => cells.toSorted((one, other) => far(one) - far(other)).map((cell) => `${name} ${where(cell)}`)); // prettier-ignore
  return [`you ${column + 1} ${line + 1}`, ...named].join(", ");
}

function readText(text: string): Level {
  const [, column, line] = /you (\d) (\d)/.exec(text) ?? [];
  const you = (Number(line) - 1) * SIZE + Number(column) - 1;
  const cells = (name: string): number[] =>
    [...text.matchAll(new RegExp(`${name} ([^,]*)`, "g"))].map(([, where = ""]) =>
      [...where.matchAll(/(\w+) (\d)/g)].reduce((cell, [, way = "", steps]) => {
        const [x, y] = WAYS[way] as readonly [number, number];
        return cell + Number(steps) * (x + SIZE * y);
      }, you),
    );
  return { grid: { walls: cells("wall"), goals: cells("goal") }, start: { you, boxes: cells("box") } };
}

interface State {
  readonly place: Place;
  /** Moves so far, refused ones too. */
  readonly round: number;
}

function openLevel(
  task: Task,
  level: Level,
  { steps, partialCredit }: { readonly steps: number; readonly partialCredit: boolean },
): Episode {
  // prettier-ignore
  const { grid, start } = level;
  const progress = progressOf(level);
  const won = ({ place }: State): boolean => isSolved(grid, place);
  const worth = (state: State): number => (partialCredit ? progress(state.place) : Number(won(state)));
  const ending = (state: State): Episode["ending"] =>
    won(state) ? "terminated" : state.round >= steps ? "truncated" : undefined;
  return episodeOf<State>(
    task,
    { place: start, round: 0 },
    {
      observation: ({ place }) => textOf(grid, place),
      stateKey: ({ place: { you, boxes } }) => [you, ...boxes].join(" "),
      ending,
      reward: (state) => scored(worth(state)),
      success: (state) => (ending(state) === undefined ? null : won(state)),
      admissible: ({ place }) => Object.keys(WAYS).filter((way) => moved(grid, place, way) !== undefined),
      step: (before, action) => {
        const place = moved(grid, before.place, action.trim());
        const state = { place: place ?? before.place, round: before.round + 1 };
        return {
          state,
          valid: place !== undefined,
          // Away from the goal it is less than nothing: all steps together are worth where the episode ends.
          reward: scored(worth(state) - worth(before)),
          info: { parts: { progress: progress(state.place) } },
        };
      },
    },
  );
}

/** Sees the whole room at every step; with this chance it takes any step that is open. */
function walker(id: string, summary: string, wanders: number): Demonstrator {
  return {
    id,
    summary,
    start: (_task, rng: Rng) => ({
      next: ({ observation, admissible = Object.keys(WAYS) }) => {
        const { grid, start } = readText(observation);
        const away = rng.float() < wanders ? admissible[rng.int(admissible.length)] : undefined;
        // Where a box is stuck nothing helps.
        return away ?? shortestWay(grid, start)?.[0] ?? admissible[0] ?? "";
      },
    }),
  };
}

export default defineWorld({
  id: ID,
  info: { title: "Grid", meaning: SUMMARY },
  options: {
    seed: option.number(1, "seed of the levels", { whole: true }),
    level: option.choice("walk", Object.keys(levels) as LevelId[], "walk to a goal, push a box, or push two"),
    partialCredit: option.flag(true, "an episode is worth the distance that is behind; off: 1 for success"),
  },
  parts: { progress: "how much of the distance at the start is behind, from 0 to 1" },
  create: createGrid,
  demonstrators: {
    expert: walker("expert", "Goes a shortest way.", 0),
    wanderer: walker("wanderer", "Takes any step that is open seven times in ten, else one of a shortest way.", 0.7),
  },
});
