/** Finished episodes that the runs of a store hold of a task: what runs share through the store. */
import { throwIfAborted } from "limbeck-base/base/errors";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { quote } from "./migrations.ts";
import type { Store } from "./store.ts";

export interface TaskPoolOptions {
  /** A run whose episodes are left out: the one that asks. */
  readonly except?: string;
  /** Most episodes given for one task. Default: 64. */
  readonly limit?: number;
}

/**
 * A function fit for the `pool` of a rollout: what the newest versions of the policies did comes first. Runs that cannot be
 * read have nothing to give, and what a run took over from another is given by the other alone.
 */
export function taskPool(
  store: Store,
  { except, limit = 64 }: TaskPoolOptions = {},
): (task: Task, options: { readonly signal: AbortSignal }) => Promise<Trajectory[]> {
  return async ({ id, env }, { signal }) => {
    const conditions = [`task_id = ${quote(id)}`, `env = ${quote(env)}`, "parent is null"];
    if (except !== undefined) conditions.push(`run <> ${quote(except)}`);
    const found: Trajectory[] = [];
    for await (const one of store.trajectories({ where: conditions.join(" and "), skipBroken: true })) {
      throwIfAborted(signal);
      if (one.info?.["shared"] === undefined) found.push(one);
    }
    const age = ({ policy }: Trajectory): number => -(policy.version ?? 0);
    return found.toSorted((left, right) => age(left) - age(right)).slice(0, limit);
  };
}
