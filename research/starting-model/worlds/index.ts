/** Worlds: those for which a starting model is made from what their novice may think of; household has its own way. */
import { countdown } from "./countdown.ts";
import { research } from "./research.ts";
import { shop } from "./shop.ts";
import type { StartingWorld } from "./starting-world.ts";
import { tools } from "./tools.ts";

export const startingWorlds = { shop, research, tools, countdown } as const satisfies Record<string, StartingWorld>;
