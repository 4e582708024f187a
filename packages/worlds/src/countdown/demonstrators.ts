/** Scripted players: they read the puzzle from its words and write a short worked solution. */
import { pick, type Rng } from "limbeck-base/base/rng";
import type { Demonstrator } from "limbeck-core/env/expert";
import { readGoal } from "./countdown.ts";
import type { Operator } from "./rational.ts";
import { join, lone, solve, type Solution, type Term } from "./solve.ts";
import type { Puzzle } from "./verify.ts";

export const expert = demonstrator("expert", "Searches until it has a solution, and writes its steps.", (puzzle) =>
  solve(puzzle),
);

export const hasty = demonstrator(
  "hasty",
  "Joins the numbers at random thirty times and gives the first solution among them, else the nearest miss.",
  (puzzle, rng) => guess(puzzle, 30, rng),
);

export const guesser = demonstrator(
  "guesser",
  "Joins the numbers at random once, in the right form and mostly to the wrong value.",
  (puzzle, rng) => guess(puzzle, 1, rng),
);

type Play = (puzzle: Puzzle, rng: Rng) => Solution | undefined;

function demonstrator(id: string, summary: string, play: Play): Demonstrator {
  return {
    id,
    summary,
    start: (task, rng) => ({
      next: ({ observation }) => {
        const puzzle = readGoal(observation) ?? readGoal(task.goal);
        return worked(puzzle === undefined ? undefined : play(puzzle, rng));
      },
    }),
  };
}

/** The steps, one after the other, and the expression. */
function worked(solution: Solution | undefined): string {
  if (solution === undefined) return "<think>I see no way.</think>\n<answer></answer>";
  const steps = solution.steps.map(({ left, operator, right, result }) => `${left} ${operator} ${right} = ${result}`);
  const thought = steps.length === 0 ? "One of the numbers is the target." : `${steps.join(", ")}.`;
  return `<think>${thought}</think>\n<answer>${solution.expression}</answer>`;
}

const OPERATORS: readonly Operator[] = ["+", "-", "*", "/"];

function guess(puzzle: Puzzle, tries: number, rng: Rng): Solution | undefined {
  let best: { readonly miss: number; readonly solution: Solution } | undefined;
  for (let attempt = 0; attempt < tries && best?.miss !== 0; attempt += 1) {
    const term = joinAtRandom(puzzle.numbers, rng);
    const value = Number(term.value.numerator) / Number(term.value.denominator);
    const miss = Math.abs(value - puzzle.target);
    if (best === undefined || miss < best.miss) best = { miss, solution: term };
  }
  return best?.solution;
}

function joinAtRandom(numbers: readonly number[], rng: Rng): Term {
  const pool: Term[] = numbers.map(lone);
  while (pool.length > 1) {
    const [left] = pool.splice(rng.int(pool.length), 1) as [Term];
    const [right] = pool.splice(rng.int(pool.length), 1) as [Term];
    const operator = pick(OPERATORS, rng) as Operator;
    // A difference that falls below zero or a quotient with a remainder becomes a sum, which always works.
    pool.push(join(left, operator, right, true) ?? (join(left, "+", right, true) as Term));
  }
  return pool[0] as Term;
}
