/**
 * A server beside a training gives way to it: all its threads are put behind those of other programs. A lower priority cannot be taken
 * back without administrator rights, and programs that are started inherit it.
 */
import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** Niceness counts from 0, where programs start, to 19, the last. Returned is what the process has then: a system that says no leaves it where it was. */
export function giveWay(niceness: number): number {
  // On Linux a thread has a priority of its own, and the engine has started some before this line; later ones inherit it.
  for (const thread of [0, ...threadsOfThis()]) {
    try {
      // Never forward: a process that was started with a lower priority keeps it.
      if (getPriority(thread) < niceness) setPriority(thread, niceness);
    } catch {
      // A thread may have ended, and a system may refuse; a server at the usual priority serves as well.
    }
  }
  return getPriority();
}

function threadsOfThis(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    // Other systems have no such list; there it is empty.
    return [];
  }
}
