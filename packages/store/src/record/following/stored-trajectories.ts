/** What skills are learnt from: trajectories of one run, or of all that are no evaluation. */
import type { Context } from "limbeck-base/base/operation";
import { findRun } from "../../store/find-run.ts";
import { withStore } from "../../store/with-store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { continues, joinPieces, rootId } from "../stored.ts";

/** The run of each trajectory comes along, so that evidence can be looked up. */
export async function storedTrajectories(
  { run: wanted }: { readonly run: string | undefined },
  { store: root }: Pick<Context, "store">,
): Promise<{ trajectories: Trajectory[]; runs: Map<string, string> }> {
  return await withStore(root, async (store) => {
    // Evaluations are held out: nothing is learnt from them unless they are named.
    const all = (await store.runs()).filter(({ kind, problem }) => problem === undefined && kind !== "eval");
    const ids = wanted === undefined ? all.map(({ id }) => id) : [(await findRun(store, wanted)).id];
    const found = new Map<string, Trajectory>();
    const runs = new Map<string, string>();
    for (const run of ids) {
      for await (const stored of store.trajectories({ run })) {
        const trajectory = { ...stored, streams: [] };
        const first = rootId(trajectory);
        const before = found.get(first);
        // A session that went on after it was stored is one session.
        if (before !== undefined && runs.get(first) === run && continues(before, trajectory)) {
          found.set(first, joinPieces(before, trajectory));
          continue;
        }
        if (runs.has(trajectory.id)) continue;
        runs.set(trajectory.id, run);
        found.set(trajectory.id, trajectory);
      }
    }
    return { trajectories: [...found.values()], runs };
  });
}
