/**
 * Which process this is, in words that another process can check: a number alone is given to others later, and means
 * nothing on another machine or in another container.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The boot of the machine and the space of its process numbers; null where the system does not say. */
  readonly space: string | null;
  /** When it began, as the system counts; null where it does not say. */
  readonly started: string | null;
}

/** `elsewhere`: on another machine, so whether it lives cannot be seen from here. */
export type Fate = "alive" | "gone" | "elsewhere";

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  own ??= { pid: process.pid, host: hostname(), space: spaceOf(), started: entryOf(process.pid)?.started ?? null };
  return own;
}

export function fateOf({ pid, host, space, started }: ProcessIdentity): Fate {
  const here = thisProcess();
  if (host !== here.host || space !== here.space) return "elsewhere";
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another user's process may not be asked, and is one.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return "gone";
  }
  const found = entryOf(pid);
  if (found === undefined || started === null) return "alive";
  return found.started === started && !found.over ? "alive" : "gone";
}

function spaceOf(): string | null {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // Only Linux has these files; elsewhere the name of the machine has to do.
    return null;
  }
}

/** What Linux says of a process; one that is over stays in the list until its parent has asked for it. */
function entryOf(pid: number): { readonly started: string; readonly over: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state = "", started] = [fields[0], fields[19]];
    return started === undefined ? undefined : { started, over: ["Z", "X", "x"].includes(state) };
  } catch {
    // No such list, or gone since it was asked.
    return undefined;
  }
}
