/** Worlds that are not among the project's own, for the walk-through of docs/learn/new-world.md. */
import kitchen from "./kitchen.ts";
import locks from "./locks.ts";

export const newWorlds = { kitchen, locks } as const;
