/** One trajectory from the command line: find it, then print it. */
import { trajectoryToJson } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { readScope, withStore } from "../with-store.ts";
import { findTrajectory } from "./find-trajectory.ts";
import { trajectoryLines } from "./trajectory-lines.ts";

export async function showTrajectory(invocation: Invocation): Promise<number> {
  return await withStore(invocation.storeRoot, async (store) => {
    const { io, style } = invocation;
    const found = await findTrajectory(store, invocation.positionals[0] ?? "", await readScope(invocation, store));
    if (invocation.json) {
      invocation.printJson({ run: found.run, ...trajectoryToJson(found.trajectory), branches: found.branches });
      return EXIT.done;
    }
    const columns = io.terminal.out ? io.terminal.columns : 100;
    const options = { style, columns, full: invocation.flag("full"), tokens: invocation.flag("tokens") };
    for (const line of trajectoryLines(found, options)) invocation.print(line);
    return EXIT.done;
  });
}
