/** Countdown: single-turn arithmetic puzzles with an exact judge, for methods about reasoning rather than acting. */
export { createCountdown, readGoal, type CountdownOptions } from "./countdown.ts";
export { countdown } from "./create.ts";
export { expert, guesser, hasty } from "./demonstrators.ts";
export { levels, type Level, type LevelId } from "./generate.ts";
export { solve, type Solution, type SolutionStep } from "./solve.ts";
export { verify, type NumberUse, type Puzzle, type Verdict } from "./verify.ts";
