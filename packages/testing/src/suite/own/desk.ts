/** Errands at the desk of the shop's customer service that change its books, as the expert serves them. */
import { isObject, parseJson, type JsonObject } from "limbeck-base/base/json";
import { callAction } from "limbeck-base/trajectory/tool-action";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { once, openStage } from "./played.ts";

export const DESK = { world: "tools", options: {}, split: "test" } as const;
const SPREAD = 16;

export const desk = once(async () => await openStage(DESK.world, DESK.options, DESK.split, SPREAD));

export interface Errand {
  /** Where it stands in the split. */
  readonly at: number;
  readonly trajectory: Trajectory;
  readonly lines: readonly string[];
}

/** Those that only a change of the books can serve, and that can be written down line by line. */
export const errands = once(async (): Promise<readonly Errand[]> => {
  const played = await (await desk()).play("expert");
  const all = played.map((trajectory, at) => ({ at, trajectory, lines: trajectory.steps.map(({ action }) => action) }));
  return all.filter(
    ({ trajectory: { steps, success }, lines }) =>
      success === true && looksAt({ steps }).length > 0 && lines.every((line) => !line.includes("\n")),
  );
});

export const changesBooks = ({ info }: Pick<Step, "info">): boolean => info?.["effect"] === "write";

/** Reading calls that show what the changes of a run came to. */
export function looksAt({ steps }: Pick<Trajectory, "steps">): readonly string[] {
  const changed = steps.filter(changesBooks).flatMap(({ action }) => {
    const call = parseJson(action);
    const args = isObject(call) && isObject(call["arguments"]) ? call["arguments"] : {};
    return [look("get_order_details", "order_id", args), look("get_user_details", "user_id", args)];
  });
  return [...new Set(changed.filter((one) => one !== undefined))];
}

function look(tool: string, name: string, args: JsonObject): string | undefined {
  return typeof args[name] === "string" ? callAction(tool, { [name]: args[name] }) : undefined;
}
