/**
 * Groups that debate for some rounds, as in DEBATE: who is asked foretells every stance of every round. The group keeps its
 * two camps for long; each moves a little towards agents near it (bounded confidence).
 */
import { createRng, type Rng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { SuiteInput } from "../suite.ts";
import type { MadeSuite } from "./made-suite.ts";

const GROUPS = 20;
const PEOPLE = 6;
const ROUNDS = 5;
/** Who is farther away is not listened to. */
const NEAR = 2;
const PULL = 0.3;

type Rounds = readonly (readonly number[])[];

function drawDebate(rng: Rng): Rounds {
  const round = (value: number): number => Math.round(Math.min(7, Math.max(1, value)) * 10) / 10;
  const rounds = [Array.from({ length: PEOPLE }, (_, at) => round((at % 2 === 0 ? 2 : 6) + 2 * rng.float() - 1))];
  while (rounds.length < ROUNDS) {
    const before = rounds.at(-1) ?? [];
    rounds.push(
      before.map((own) => {
        const heard = before.filter((other) => Math.abs(other - own) <= NEAR);
        return round(own + PULL * (mean(heard) - own) + 0.4 * rng.float() - 0.2);
      }),
    );
  }
  return rounds;
}

const linesOf = (rounds: Rounds): string => rounds.map((one, at) => `Round ${at + 1}: ${one.join(" ")}`).join("\n");

export function debate(by: "spread" | "mean"): MadeSuite {
  const meaning =
    by === "spread"
      ? "How the spread of stances in a debate moves from round to round, foretold from its first round."
      : "The same debates, graded by the mean stance of each round alone.";
  return {
    meaning,
    scripts: { converging, standing },
    make: () => {
      const tasks: SuiteInput["tasks"] = Array.from({ length: GROUPS }, (_, at) => {
        const rounds = drawDebate(createRng(`debate ${at}`));
        const first = linesOf(rounds.slice(0, 1));
        return {
          id: `group/${at}`,
          prompt: `${PEOPLE} people debate; a stance is a number from 1 (against) to 7 (for). Write the stances of all ${ROUNDS} rounds in this form.\n${first}`,
          answer: rounds as number[][],
          solution: linesOf(rounds),
        };
      });
      return Promise.resolve({ suite: `debate-${by}`, meaning, grader: { use: "stances", options: { by } }, tasks });
    },
  };
}

function firstOf(goal: string): readonly number[] {
  return (/^Round 1: (.*)$/m.exec(goal)?.[1] ?? "").split(" ").map(Number);
}

/** What groups of models do: all agree on the middle after one round. */
const converging: Demonstrator = {
  id: "converging",
  summary: "Everybody takes the middle after the first round.",
  start: ({ goal }) => ({
    next: () => {
      const first = firstOf(goal);
      const middle = Math.round(mean(first) * 10) / 10;
      return linesOf([first, ...Array.from({ length: ROUNDS - 1 }, () => first.map(() => middle))]);
    },
  }),
};

const standing: Demonstrator = {
  id: "standing",
  summary: "Nobody changes the stance of the first round.",
  start: ({ goal }) => ({ next: () => linesOf(Array.from({ length: ROUNDS }, () => firstOf(goal))) }),
};
