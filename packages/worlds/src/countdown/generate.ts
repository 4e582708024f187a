/**
 * Puzzles that have a solution by construction: the target is what a random way of joining all the numbers gives.
 *
 * Splits are disjoint by construction too: a puzzle (its numbers in order and its target) belongs to the split that
 * its own hash names, and each split keeps only its own. Seeds and levels cannot move a puzzle to another split.
 */
import { EngineError } from "limbeck-base/base/errors";
import { pick, type Rng } from "limbeck-base/base/rng";
import { splitOf as splitOfKey } from "limbeck-core/env/drawn-tasks";
import type { Operator } from "./rational.ts";

export interface Level {
  readonly count: number;
  /** Inclusive. */
  readonly numbers: readonly [number, number];
  readonly target: readonly [number, number];
  /** How many of the numbers are out of 25, 50, 75, 100. Default: none. */
  readonly large?: number;
}

export const levels = {
  easy: { count: 3, numbers: [1, 10], target: [2, 50] },
  medium: { count: 4, numbers: [1, 25], target: [5, 100] },
  hard: { count: 5, numbers: [1, 50], target: [10, 500] },
  classic: { count: 6, numbers: [1, 10], target: [100, 999], large: 2 },
} as const satisfies Record<string, Level>;

export type LevelId = keyof typeof levels;

export interface Drawn {
  readonly numbers: readonly number[];
  readonly target: number;
}

const LARGE = [25, 50, 75, 100] as const;
/** On the way no number grows beyond this, or most draws would overshoot. */
const LARGEST_BETWEEN = 2_000;
/** The rarest level and split need a few dozen. */
const MAX_DRAWS = 100_000;

export function drawPuzzle(level: Level, split: string, rng: Rng): Drawn {
  const [lowest, highest] = level.target;
  for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
    const numbers = Array.from({ length: level.count }, (_, index) =>
      index < (level.large ?? 0) ? (pick(LARGE, rng) as number) : within(level.numbers, rng),
    );
    const target = joinAll(numbers, rng);
    if (target === undefined || target < lowest || target > highest || numbers.includes(target)) continue;
    if (splitOf(numbers, target) === split) return { numbers, target };
  }
  throw new EngineError(
    "no-puzzle",
    `No puzzle was found in ${MAX_DRAWS} draws for the level ${JSON.stringify(level)}.`,
  );
}

/** Eight of ten puzzles are for training, one each for the others. */
export function splitOf(numbers: readonly number[], target: number): string {
  return splitOfKey(`${[...numbers].sort((one, other) => one - other).join(",")}=${target}`);
}

/** The result of joining two numbers at a time, at random, with positive whole numbers all the way. */
function joinAll(numbers: readonly number[], rng: Rng): number | undefined {
  const pool = [...numbers];
  while (pool.length > 1) {
    const [left] = pool.splice(rng.int(pool.length), 1);
    const [right] = pool.splice(rng.int(pool.length), 1);
    const result = joinTwo(left ?? 0, right ?? 0, pick(OPERATORS, rng) as Operator);
    if (result === undefined || result > LARGEST_BETWEEN) return undefined;
    pool.push(result);
  }
  return pool[0];
}

const OPERATORS: readonly Operator[] = ["+", "-", "*", "/"];

/** Undefined where the rules of the game, or plain dullness (times one), forbid it. */
function joinTwo(left: number, right: number, operator: Operator): number | undefined {
  if (operator === "+") return left + right;
  if (operator === "-") return left > right ? left - right : undefined;
  if (left === 1 || right === 1) return undefined;
  if (operator === "*") return left * right;
  return left % right === 0 ? left / right : undefined;
}

function within([lowest, highest]: readonly [number, number], rng: Rng): number {
  return lowest + rng.int(highest - lowest + 1);
}
