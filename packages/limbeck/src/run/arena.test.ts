import { expect, test } from "vitest";
import { planArena } from "./arena.ts";

test("arms that are spelt out have the room of the world and what is given for all, as named ones have", async () => {
  const arms = [
    "grpo",
    { name: "spelt", recipe: "grpo" },
    { name: "own", recipe: "grpo", settings: { answerTokens: 7, group: 2 } },
    { name: "preset", recipe: "opid", preset: "paper" },
  ];
  const plan = await planArena({ env: "countdown", arms, settings: { group: 4 } });
  const room = plan.arms.map(({ settings }) => settings["answerTokens"]);
  // A countdown answer has up to 64 tokens; a preset says its own room.
  expect(room.map((one) => (one === undefined ? one : Number(one)))).toEqual([64, 64, 7, undefined]);
  expect(plan.arms.map(({ settings }) => Number(settings["group"]))).toEqual([4, 4, 2, 4]);
});
