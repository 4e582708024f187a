/** The kind of errand a task is. */
import type { Task } from "./trajectory.ts";

/**
 * As the world names it; all tasks of the world are one family otherwise.
 *
 * @example
 * console.log(familyOf({ env: "household", data: { family: "pick_two" } }), familyOf({ env: "countdown" })); // pick_two countdown
 */
export function familyOf({ env, data }: Pick<Task, "env" | "data">): string {
  const family = data?.["family"];
  return typeof family === "string" ? family : env;
}
