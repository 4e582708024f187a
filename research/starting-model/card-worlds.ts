/** What the card of a world's model measures: the world, its conditions, and the families that it tells apart. */
import { lookUp } from "../../packages/base/src/base/registry.ts";
import { getWorld, createHousehold } from "limbeck/env";
import type { Env } from "limbeck";
import { conditions } from "./conditions.ts";
import type { Condition } from "./evaluate.ts";
import { startingWorlds } from "./worlds/index.ts";
import type { StartingWorld } from "./worlds/starting-world.ts";
import { worldConditions } from "./worlds/world-conditions.ts";

interface Card {
  readonly env: Env;
  readonly conditions: Readonly<Record<string, Condition | undefined>>;
  /** The title of a column, and how the names of the family begin. */
  readonly families: Readonly<Record<string, string>>;
  readonly answerTokens: number;
}

export async function cardFor(name: string): Promise<Card> {
  if (name === "household") {
    return {
      env: createHousehold({ dial: "tiny", keptGames: 4_000 }),
      conditions,
      families: {
        place: "pick_and",
        light: "look",
        clean: "pick_clean",
        heat: "pick_heat",
        cool: "pick_cool",
        two: "pick_two",
      },
      answerTokens: 24,
    };
  }
  const world = lookUp<StartingWorld>(startingWorlds, name, "world with a starting model");
  return {
    env: await (await getWorld(name)).create(world.options),
    conditions: worldConditions(world),
    families: name === "research" ? { "one hop": "1", "two hops": "2" } : {},
    answerTokens: world.answerTokens,
  };
}
