/** Reach a number with given numbers and + - * /, in one reply that is judged exactly. */
import { createRng } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { scored } from "limbeck-base/trajectory/score";
import type { Score, Task } from "limbeck-base/trajectory/trajectory";
import { endlessSplits } from "limbeck-core/env/drawn-tasks";
import type { Env, Episode } from "limbeck-core/env/env";
import { episodeOf } from "limbeck-core/env/episode-of";
import { numberedTasks } from "limbeck-core/env/task-file";
import { drawPuzzle, levels, type Level, type LevelId } from "./generate.ts";
import { reward, verify, type NumberUse, type Puzzle, type Verdict } from "./verify.ts";

export interface CountdownOptions {
  /** Seed of the puzzles. Default: 1. */
  readonly seed?: number;
  /** The difficulty dial; "mixed" is easy and medium in turn. Default: "easy". */
  readonly level?: LevelId | "mixed";
  /** Default: "each". */
  readonly use?: NumberUse;
  /** Default: false; the formula stands in `verify.ts`. */
  readonly partialCredit?: boolean;
}

const ID = "countdown";

/**
 * Number puzzles: an expression of given numbers that reaches a target.
 *
 * @example
 * const env = createCountdown({ level: "easy" });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step("<answer>10 + 9 + 4</answer>")).success); // true
 * }
 */
export function createCountdown(options: CountdownOptions = {}): Env {
  const { seed = 1, level = "easy", use = "each", partialCredit = false } = options;
  const dials = level === "mixed" ? [levels.easy, levels.medium] : [lookUp(levels, level, "countdown level")];
  if (use !== "each" && use !== "any") {
    throw new EngineError("bad-option", `Countdown option use is "${String(use)}"; it must be "each" or "any".`);
  }
  const rng = createRng(seed).split(`${ID} ${level}`);
  return {
    id: ID,
    summary: "Reach a number with given numbers and + - * /, in one reply.",
    maxSteps: 1,
    splits: endlessSplits,
    tasks: (split, range) =>
      numberedTasks(ID, endlessSplits, split, range, (index) => {
        const dial = dials[index % dials.length] as Level;
        const puzzle = { ...drawPuzzle(dial, split, rng.split(`${split} ${index}`)), use };
        const id = `${ID}/${level}/${use}/${seed}/${split}/${index}`;
        return { id, env: ID, seed, goal: describe(puzzle), split, data: { ...puzzle } };
      }),
    open: async (task, { signal } = {}) => {
      throwIfAborted(signal);
      return Promise.resolve(openPuzzle(task, puzzleOf(task), partialCredit));
    },
  };
}

/** The task in words; `readGoal` takes it apart again. */
function describe({ numbers, target, use }: Puzzle): string {
  const rule = use === "each" ? "exactly once" : "at most once";
  return `Numbers: ${numbers.join(", ")}. Target: ${target}. Use each number ${rule}.`;
}

/**
 * What a player can know of the puzzle; undefined for text of another kind.
 *
 * @example
 * console.log(readGoal("Numbers: 2, 3. Target: 6. Use each number exactly once.")); // { numbers: [ 2, 3 ], target: 6, use: "each" }
 */
export function readGoal(text: string): Puzzle | undefined {
  const match = /Numbers: ([\d, ]+)\. Target: (\d+)\. Use each number (exactly|at most) once\./.exec(text);
  if (match === null) return undefined;
  const [, numbers = "", target = "", rule] = match;
  return {
    numbers: numbers.split(", ").map(Number),
    target: Number(target),
    use: rule === "exactly" ? "each" : "any",
  };
}

const FORM = "Write one expression with + - * / and brackets as <answer>expression</answer>.";

interface Outcome {
  readonly observation: string;
  readonly reward: Score;
  readonly success: boolean;
}

function openPuzzle(task: Task, puzzle: Puzzle, partialCredit: boolean): Episode {
  const opening = `${describe(puzzle)}\n${FORM}`;
  return episodeOf<Outcome | undefined>(task, undefined, {
    observation: (outcome) => outcome?.observation ?? opening,
    stateKey: (outcome) => (outcome === undefined ? "puzzle" : `judged: ${outcome.observation}`),
    ending: (outcome) => outcome && "terminated",
    reward: (outcome) => outcome?.reward ?? scored(0),
    success: (outcome) => outcome?.success ?? null,
    step: (_, action) => {
      const verdict = judge(puzzle, action);
      const given = scored(reward(verdict, puzzle.target, partialCredit));
      const success = verdict.kind === "solved";
      const observation = verdict.kind === "solved" ? "Solved." : `Not solved: ${verdict.why}.`;
      return {
        state: { observation, reward: given, success },
        valid: verdict.kind !== "unreadable",
        reward: given,
        info: { verdict: verdict.kind, parts: partsOf(verdict, puzzle) },
      };
    },
  });
}

function partsOf(verdict: Verdict, { target }: Puzzle): { readable: number; numbers: number; worth: number } {
  const isReadable = verdict.kind !== "unreadable";
  return {
    readable: Number(isReadable),
    numbers: Number(isReadable && verdict.kind !== "wrong-numbers"),
    worth: reward(verdict, target, true),
  };
}

/** The last complete block counts, so that a reply may think aloud before it. */
function judge(puzzle: Puzzle, action: string): Verdict {
  const end = action.lastIndexOf("</answer>");
  const start = end < 0 ? -1 : action.lastIndexOf("<answer>", end);
  if (start < 0) return { kind: "unreadable", why: "no complete <answer> block was found" };
  return verify(puzzle, action.slice(start + "<answer>".length, end));
}

function puzzleOf(task: Task): Puzzle {
  const { numbers, target, use } = task.data ?? {};
  const usable =
    task.env === ID &&
    Array.isArray(numbers) &&
    numbers.length > 0 &&
    [...numbers, target].every((value) => typeof value === "number" && Number.isInteger(value) && value >= 1) &&
    (use === "each" || use === "any");
  if (usable) return { numbers: numbers as number[], target: target as number, use };
  throw new EngineError(
    "bad-task",
    `Task "${task.id}" is no countdown puzzle: data needs numbers and a target, whole and at least 1, and use "each" or "any".`,
    { details: { task: task.id } },
  );
}
