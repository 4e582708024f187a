/** The one command every errand is full of. */
import type { Memory } from "./memory.ts";

/**
 * The way to a receptacle; undefined when it is within reach.
 *
 * @example
 * import { createMemory } from "limbeck/env/household";
 *
 * const { memory, notice } = createMemory();
 * notice({ action: "go to desk 1", observation: "You arrive at desk 1. On the desk 1, you see a mug 2." });
 * console.log(goTo(memory, "fridge 1"), goTo(memory, "desk 1")); // go to fridge 1 undefined
 */
export function goTo(memory: Memory, receptacle: string): string | undefined {
  return memory.atHand.includes(receptacle) ? undefined : `go to ${receptacle}`;
}
