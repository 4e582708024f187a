/** A search of two steps of three ways each, and agents that draw their way by known chances: every end's chance can be worked out. */
import { createRng, drawWeighted } from "../../packages/base/src/base/rng.ts";
import type { Agent } from "../../packages/core/src/walk/mind/agent.ts";
import { createTinyAgent, createTinyWorld } from "./tiny-search-world.ts";

export const REWARDS = {
  a: { a: 0, b: 0.2, c: 0.9 },
  b: { a: 0.1, b: 0.5, c: 0 },
  c: { a: 0.3, b: 1, c: 0 },
} as const;
export const CHANCES = [
  ["a", 0.5],
  ["b", 0.3],
  ["c", 0.2],
] as const;

export const nineEnds = createTinyWorld(REWARDS);

/** Draws every answer by the same chances, whatever it sees; another seed is another agent. */
export function drawing(seed: number): Agent {
  const draw = (observation: string, label: string) =>
    drawWeighted(CHANCES, createRng(`${seed} ${observation} ${label}`)) ?? "a";
  return createTinyAgent(draw);
}
