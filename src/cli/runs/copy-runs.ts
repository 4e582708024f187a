/** `limbeck runs copy FROM TO`: runs of one store into another. */
import { resolvePlace } from "../../base/object-address.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatBytes, plural } from "../look/units.ts";
import { findRun, withStore } from "../with-store.ts";

export async function copyRuns(invocation: Invocation, given: { from: string; to: string }): Promise<number> {
  const { copyRun } = await import("../../store/index.ts");
  const { io, style } = invocation;
  const [from, to] = [resolvePlace(io.cwd, given.from), resolvePlace(io.cwd, given.to)];
  const wanted = invocation.text("run");
  const runs = await withStore(from, async (store) =>
    wanted === undefined ? await store.runs() : [await findRun(store, wanted)],
  );
  let failed = 0;
  for (const { id, problem } of runs) {
    if (problem !== undefined) {
      failed += 1;
      invocation.note(`! Left out run ${cleanLine(id)}: ${cleanLine(problem)}`);
      continue;
    }
    const report = await copyRun({ from, to, run: id, signal: io.signal });
    if (invocation.json) invocation.printJson({ id, copied: report.copied, files: report.files, bytes: report.bytes });
    const what = report.copied ? `${plural(report.files, "file")}, ${formatBytes(report.bytes)}` : "was there already";
    invocation.print(`${style.green("✓")} ${cleanLine(id)}  ${style.dim(what)}`);
  }
  invocation.print(style.dim(`${plural(runs.length - failed, "run")} in ${cleanLine(to)}`));
  return failed === 0 ? EXIT.done : EXIT.failed;
}
