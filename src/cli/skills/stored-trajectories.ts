/** What skills are learnt from: trajectories of one run, or of all that are no evaluation. */
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { findRun, withStore } from "../with-store.ts";

/** The run of each trajectory comes along, so that evidence can be looked up. */
export async function storedTrajectories(
  invocation: Invocation,
): Promise<{ trajectories: Trajectory[]; runs: Map<string, string> }> {
  return await withStore(invocation.storeRoot, async (store) => {
    const wanted = invocation.text("run");
    // Evaluations are held out: nothing is learnt from them unless they are named.
    const all = (await store.runs()).filter(({ kind, problem }) => problem === undefined && kind !== "eval");
    const ids = wanted === undefined ? all.map(({ id }) => id) : [(await findRun(store, wanted)).id];
    const trajectories: Trajectory[] = [];
    const runs = new Map<string, string>();
    for (const run of ids) {
      for await (const trajectory of store.trajectories({ run })) {
        if (runs.has(trajectory.id)) continue;
        runs.set(trajectory.id, run);
        trajectories.push({ ...trajectory, streams: [] });
      }
    }
    return { trajectories, runs };
  });
}
