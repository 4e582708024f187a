/**
 * How stances move in a debate of several rounds, against how those of people moved, as in DEBATE: by round the spread of
 * stances over the group, or the mean alone, which cannot tell a debate from early agreement.
 */
import type { Json } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { mean } from "limbeck-base/base/statistics/summary";
import { scored } from "limbeck-base/trajectory/score";
import { defineGrader, finalText } from "../grader.ts";

const LEAST = 1;
const MOST = 7;

export const stances = defineGrader({
  id: "stances",
  meaning: 'How near "Round 1: 5 2 …" lines come to the stances of `answer`, a list of rounds of numbers from 1 to 7.',
  options: { by: option.choice("spread", ["spread", "mean"], "which figure of each round is compared") },
  check: (answer) =>
    roundsOf(answer) === undefined ? "`answer` has to be a list of rounds, each numbers from 1 to 7" : undefined,
  grade: ({ trajectory, answer }, { by }) => {
    const gold = roundsOf(answer) ?? [];
    const said = roundsIn(finalText(trajectory));
    if (said.length !== gold.length || said.some((round, at) => round.length !== gold[at]?.length)) {
      return { score: scored(0), why: `${said.length} whole rounds of ${gold.length}` };
    }
    const error = stanceError(said, gold, by);
    return { score: scored(1 - error), why: `error ${error.toFixed(3)}` };
  },
});

/** Mean over rounds of how far the figure is off, as a share of the farthest that it can be. */
export function stanceError(
  said: readonly (readonly number[])[],
  gold: readonly (readonly number[])[],
  by: "spread" | "mean",
): number {
  const most = by === "spread" ? ((MOST - LEAST) / 2) ** 2 : MOST - LEAST;
  const figure = by === "spread" ? variance : (round: readonly number[]) => mean(round);
  return mean(gold.map((round, at) => Math.min(1, Math.abs(figure(said[at] ?? []) - figure(round)) / most)));
}

/** Over the whole group. */
function variance(round: readonly number[]): number {
  const middle = mean(round);
  return mean(round.map((stance) => (stance - middle) ** 2));
}

const isStance = (one: Json): boolean => typeof one === "number" && one >= LEAST && one <= MOST;

function roundsIn(text: string): readonly (readonly number[])[] {
  const lines = [...text.matchAll(/^Round \d{1,3}: ([\d. ]{1,500})$/gm)];
  const rounds = lines.map(([, line = ""]) => line.trim().split(/\s+/).map(Number));
  return rounds.filter((round) => round.every(isStance));
}

function roundsOf(answer: Json | undefined): readonly (readonly number[])[] | undefined {
  const isRound = (one: Json): one is number[] => Array.isArray(one) && one.length > 1 && one.every(isStance);
  return Array.isArray(answer) && answer.length > 0 && answer.every(isRound) ? answer : undefined;
}
