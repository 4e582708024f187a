/** The six kinds of household task, read from a game's folder name, and success counted by them. */
import type { Task } from "./trajectory.ts";

export const FAMILIES = [
  "pick_and_place_simple",
  "look_at_obj_in_light",
  "pick_clean_then_place_in_recep",
  "pick_heat_then_place_in_recep",
  "pick_cool_then_place_in_recep",
  "pick_two_obj_and_place",
] as const;

export type Family = (typeof FAMILIES)[number];

/** The family a path, task id or folder name belongs to. */
export function familyOf(path: string): Family | undefined {
  return FAMILIES.find((family) => path.split("/").some((part) => part === family || part.startsWith(`${family}-`)));
}

export interface FamilyRate {
  readonly successes: number;
  readonly episodes: number;
}

/**
 * Successes by family; episodes without a known success are not counted, tasks of no family count as "other".
 *
 * @example
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, group: 2 });
 * console.log(successByFamily(trajectories)); // { pick_and_place_simple: { successes: 2, episodes: 2 } }
 */
export function successByFamily(
  episodes: Iterable<{ readonly task: Task; readonly success: boolean | null }>,
): Partial<Record<Family | "other", FamilyRate>> {
  const rates: Partial<Record<Family | "other", FamilyRate>> = {};
  for (const { task, success } of episodes) {
    if (success === null) continue;
    const named = task.data?.["family"];
    const family = familyOf(typeof named === "string" ? named : task.id) ?? "other";
    const before = rates[family] ?? { successes: 0, episodes: 0 };
    rates[family] = { successes: before.successes + (success ? 1 : 0), episodes: before.episodes + 1 };
  }
  return rates;
}
