/** Builds the countdown environment from plain options, as a command line or a recipe file gives them. */
import { option } from "limbeck-base/base/option";
import { defineWorld } from "limbeck-core/env/world";
import { createCountdown } from "./countdown.ts";
import { expert, guesser, hasty } from "./demonstrators.ts";
import { levels, type LevelId } from "./generate.ts";

export const countdown = defineWorld({
  id: "countdown",
  info: {
    title: "Countdown",
    meaning: "Reach a number with given numbers and + - * /, in one reply judged exactly.",
  },
  options: {
    seed: option.number(1, "seed of the puzzles", { whole: true }),
    level: option.choice(
      "easy",
      [...(Object.keys(levels) as LevelId[]), "mixed"],
      "difficulty; mixed: easy and medium in turn",
    ),
    use: option.choice("each", ["each", "any"], "each: every number exactly once (as in TinyZero); any: at most once"),
    partialCredit: option.flag(false, "readable answers and near misses earn up to half"),
  },
  parts: {
    readable: "1 where the answer is an expression",
    numbers: "1 where it uses the numbers as it should",
    worth: "what it is worth with partial credit",
  },
  create: createCountdown,
  demonstrators: { expert, hasty, guesser },
});
