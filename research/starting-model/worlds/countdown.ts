/** Countdown: who knows has a solution; a novice joins the numbers a few times and gives the nearest it came to. */
import type { Demonstrator } from "limbeck/env";
import { expert, guesser } from "../../../packages/worlds/src/countdown/demonstrators.ts";
import { guess, type StartingWorld } from "./starting-world.ts";

const OPTIONS = { level: "easy" } as const;
const TASKS = 4_000;

/** Beside these chances a guess may be right by luck. */
const CHANCES = { seesIt: 0.3 };
const GUESSES = 6;

export const countdown: StartingWorld = {
  name: "countdown",
  options: OPTIONS,
  chances: CHANCES,
  place: (shard) => ({ options: OPTIONS, offset: shard * TASKS, count: TASKS }),
  shards: 12,
  updates: 4_000,
  lessonsPerTask: 2,
  mostTokens: 400,
  answerTokens: 64,
  freeText: true,
  start: (task, rng) => {
    const say = (who: Demonstrator, label: string): string =>
      who
        .start(task, rng.split(label))
        .next({ action: undefined, observation: task.goal })
        // One line, as advice quotes it.
        .replaceAll(/\s+/g, " ");
    const best = say(expert, "expert");
    const others = Array.from({ length: GUESSES }, (_, at) => say(guesser, `guess ${at}`));
    return { see: () => guess(best, CHANCES.seesIt, others) };
  },
  essential: (actions) => actions,
  otherWords: (command) => {
    const [, steps = "", expression = ""] = /<think>(.*)<\/think> <answer>(.*)<\/answer>/.exec(command) ?? [];
    const [first = ""] = steps.split(", ");
    return [
      expression,
      steps,
      `the answer is ${expression}`,
      `${steps} So: ${expression}`,
      `begin with ${first}`,
      `write ${expression}`,
    ];
  },
};
