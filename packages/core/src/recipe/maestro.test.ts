import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import {
  near,
  played,
  stepCredits,
  trainedText,
  watchRecipe,
  wholeText,
} from "../../../../test/support/recipe-walks.ts";
import { createCorridor } from "../env/corridor.ts";
import { createDemonstratorExpert } from "../orchestrate/expert.ts";
import { withExperts } from "../orchestrate/with-experts.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { maestro } from "./maestro.ts";

recipeContract("maestro");

const guide = createDemonstratorExpert({
  name: "guide",
  skill: "ways",
  description: "knows the way",
  price: 1,
  demonstrator: { id: "east", summary: "", start: () => ({ next: () => "go east" }) },
});

test("a world without experts is refused, one with them is played as it is", () => {
  const corridor = createCorridor();
  const settings = { answers: "listed", prompts: "append" } as const;
  expect(() => maestro.world?.(corridor, settings, null, "training")).toThrow(/--experts FILE/);
  const world = withExperts(corridor, { experts: [guide] });
  expect(maestro.world?.(world, settings, null, "evaluation")).toBe(world);
});

test("only the orchestrator's own words are trained, by the outcome and the form", async () => {
  const corridor = createCorridor({ rooms: 3, maxSteps: 5 });
  const env = withExperts(corridor, { experts: [guide], turns: 1, actsItself: true });
  const plans = { asks: ["ask guide", "go east"], alone: ["go east", "go east"], stops: ["ask guide", "stop"] };
  const { record, first, model } = await watchRecipe("maestro", { env, collect: () => played(env, [plans]) });
  const rows = Object.fromEntries(first.rows.map((row) => [row.trajectory, row]));
  // What the expert did is in the text that is read, and nowhere in what is learned.
  expect(wholeText(rows["asks"] as TrainRow)).toContain("guide did: go east.");
  expect(Object.fromEntries(first.rows.map((row) => [row.trajectory, trainedText(row)]))).toEqual({
    asks: "ask guide\ngo east\n",
    alone: "go east\ngo east\n",
    stops: "ask guide\nstop\n",
  });
  // Solved with a call 1, solved without 1 - 1 = 0, not solved with a call 0. Mean 1/3, squares 4/9, 1/9, 1/9, twice, over 5.
  const deviation = Math.sqrt((2 * (6 / 9)) / 5) + 1e-6;
  expect(stepCredits(record.episodes, first.rows)).toEqual({
    asks: near([2 / 3 / deviation, 2 / 3 / deviation]),
    alone: near([-1 / 3 / deviation, -1 / 3 / deviation]),
    stops: near([-1 / 3 / deviation, -1 / 3 / deviation]),
  });
  await model.close();
});
