import { expect, test } from "vitest";
import { recipeContract } from "../../test/support/recipe-contract.ts";
import { createCorridor } from "../env/corridor.ts";
import { createDemonstratorExpert, withExperts } from "../orchestrate/index.ts";
import { maestro } from "./maestro.ts";

recipeContract("maestro");

test("a world without experts is refused, one with them is played as it is", () => {
  const corridor = createCorridor();
  const settings = { answers: "listed", prompts: "append" } as const;
  expect(() => maestro.world?.(corridor, settings, null, "training")).toThrow(/--experts FILE/);
  const guide = createDemonstratorExpert({
    name: "guide",
    skill: "ways",
    description: "knows the way",
    price: 1,
    demonstrator: { id: "east", summary: "", start: () => ({ next: () => "go east" }) },
  });
  const world = withExperts(corridor, { experts: [guide] });
  expect(maestro.world?.(world, settings, null, "evaluation")).toBe(world);
});
