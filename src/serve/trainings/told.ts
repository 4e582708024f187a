/** What a training says while it goes on (`limbeck train --json`), as one line for the page. */
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { z } from "zod";

export interface Told {
  /** What it is doing, in words. */
  readonly phase: string;
  /** Updates done. */
  readonly done: number;
  readonly isRunning: boolean;
  readonly isFinished: boolean;
}

const line = z.object({
  event: z.string().optional(),
  update: z.number().optional(),
  from: z.number().optional(),
  updates: z.number().optional(),
  reason: z.string().optional(),
});

/** What is known after a line; lines that are no JSON of ours change nothing. */
export function afterLine(told: Told, text: string): Told {
  const { event, update = told.done, from = 0, updates, reason } = readLine(text);
  if (event === "start") {
    const phase = from > 0 ? `Update ${from + 1}` : "Playing the held-out tasks, before";
    return { ...told, phase, done: from, isRunning: true };
  }
  if (event === "before") return { ...told, phase: "Update 1" };
  if (event === "update") {
    const phase = update === updates ? "Playing the held-out tasks, after" : `Update ${update + 1}`;
    return { ...told, phase, done: update };
  }
  if (event === "after") return { ...told, phase: "Writing the end" };
  return event === undefined && reason !== undefined ? { ...told, isFinished: true } : told;
}

function readLine(text: string): z.infer<typeof line> {
  try {
    return line.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

/** Listens to both streams of the process until it ends. */
export function hear(
  child: ChildProcess,
  change: (how: (told: Told) => Told) => void,
  complain: (text: string) => void,
): void {
  if (child.stdout !== null) {
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (text) => change((told) => afterLine(told, text)));
  }
  child.stderr?.on("data", (piece: Buffer) => complain(piece.toString()));
}
