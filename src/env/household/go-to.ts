/** The one command every errand is full of. */
import type { Memory } from "./memory.ts";

/** The way to a receptacle; undefined when it is within reach. */
export function goTo(memory: Memory, receptacle: string): string | undefined {
  return memory.atHand.includes(receptacle) ? undefined : `go to ${receptacle}`;
}
