/** Tool calls of the world's demonstrator, and how a call is read out of an action: as the world itself reads it. */
import type { CalledTool } from "../credit/signals.ts";
import { parseAction } from "limbeck-base/trajectory/tool-action";
import { byTask } from "limbeck-base/trajectory/rows";
import type { JsonObject, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { UpdateContext } from "./context.ts";
import { solve } from "./solve.ts";

/** A call whose arguments could be read. */
export type ReadCall = CalledTool & { readonly arguments: JsonObject };

/** The calls of each task's demonstration, by the task's id. `need` is what they are for. */
export async function referenceCalls(
  episodes: readonly Trajectory[],
  update: UpdateContext,
  need: string,
): Promise<Map<string, readonly ReadCall[]>> {
  const known = new Map<string, readonly ReadCall[]>();
  for (const { id, trajectories } of byTask(episodes)) {
    const [first] = trajectories;
    if (first !== undefined) known.set(id, ((await solve(update, first.task, need))?.plan ?? []).flatMap(callsIn));
  }
  return known;
}

export function callsIn(action: string): ReadCall[] {
  const read = parseAction(action);
  return read.kind === "call" ? [{ name: read.name, arguments: read.arguments }] : [];
}
