/** `limbeck report`: runs as one HTML file. */
import { stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { isObjectAddress, resolvePlace } from "../../base/object-address.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatBytes, plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { findRun, runPlace, withStore } from "../with-store.ts";
import { text, texts } from "../options.ts";

const MOST_RUNS = 20;

export const report: Command = {
  group: "look",
  summary: "Write runs as one HTML file that a browser opens from disk",
  usage: "RUN… [--label TEXT…] [--out FILE]",
  description:
    "Shows success before and after with intervals, the learning curve, the same task before and after, words coloured by their credit, skills with their evidence, where the time went, and the configuration. Several runs are drawn together and compared with the first.\n" +
    "A run is an id, its beginning, or the folder of the run. The file asks no other host for anything; one that is there is replaced. A run that is unfinished or did not train is shown as far as it goes.",
  arity: [1, MOST_RUNS],
  options: {
    out: text(
      "FILE",
      "The file to write. Default: report.html in the folder of the first run; RUN-report.html here, of one on object storage",
    ),
    label: texts("TEXT", "What a run is called, in the order of the runs. Default: its id"),
  },
  examples: ["limbeck report 2026", "limbeck report opid-1 grpo-1 --label OPID --label GRPO --out compare.html"],
  jsonFields: { path: "the file written", runs: "ids of the runs in it", bytes: "size of the file" },
  natives: ["duckdb"],
  run: (invocation) => {
    const { root, ids } = givenRuns(invocation);
    const labels = invocation.texts("label");
    if (labels.length > ids.length)
      throw usageError(`There are ${labels.length} labels for ${plural(ids.length, "run")}; give at most one each.`);
    return withStore(root, async (store) => {
      const runs = [];
      for (const [at, id] of ids.entries()) {
        const run = (await findRun(store, id)).id;
        runs.push({ run, label: labels[at] ?? run });
      }
      const out = invocation.text("out");
      const file =
        out !== undefined
          ? resolve(invocation.io.cwd, out)
          : isObjectAddress(root)
            ? join(invocation.io.cwd, `${runs[0]?.run ?? "run"}-report.html`)
            : join(store.root, runs[0]?.run ?? "", "report.html");
      const { writeReport } = await import("../../eval/index.ts");
      await writeReport(store, { runs, file });
      const { size } = await stat(file);
      const shown = relative(invocation.io.cwd, file) || file;
      if (invocation.json) invocation.printJson({ path: shown, runs: runs.map(({ run }) => run), bytes: size });
      invocation.print(
        `${invocation.style.green("✓")} Wrote ${invocation.style.cyan(cleanLine(shown))} (${formatBytes(size)}); open it in a browser.`,
      );
      return EXIT.done;
    });
  },
};

function givenRuns({ positionals, io, storeRoot }: Invocation): {
  readonly root: string;
  readonly ids: readonly string[];
} {
  const given = positionals.map((text) => runPlace(text, { io, storeRoot }));
  const roots = [...new Set(given.map(({ root }) => resolvePlace(io.cwd, root)))];
  if (roots.length > 1) throw usageError(`The runs are in ${roots.length} stores; one report shows runs of one store.`);
  return { root: roots[0] ?? storeRoot, ids: given.map(({ id }) => id) };
}
