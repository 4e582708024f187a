/** `limbeck report`: runs as one HTML file. */
import { stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { input } from "limbeck-base/base/input";
import { isObjectAddress, resolvePlace } from "limbeck-base/base/object-address";
import type { Command } from "../command.ts";
import { defineCommand } from "../command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatBytes, plural } from "limbeck-base/base/units";
import { usageError } from "../parse.ts";
import { findRun, runPlace, withStore } from "../with-store.ts";

const MOST_RUNS = 20;

const command = defineCommand({
  group: "look",
  summary: "Write runs as one HTML file that a browser opens from disk",
  usage: "RUN… [--label TEXT…] [--out FILE]",
  description:
    "Shows success before and after with intervals, the learning curve, the same task before and after, words coloured by their credit, skills with their evidence, where the time went, and the configuration. Several runs are drawn together and compared with the first.\n" +
    "A run is an id, its beginning, or the folder of the run. The file asks no other host for anything; one that is there is replaced. A run that is unfinished or did not train is shown as far as it goes.",
  input: {
    runs: input.texts("RUN", "What is shown", { at: "rest", required: true }),
    out: input.path(
      "FILE",
      "The file to write. Default: report.html in the folder of the first run; RUN-report.html here, of one on object storage",
    ),
    labels: input.texts("TEXT", "What a run is called, in the order of the runs. Default: its id", { flag: "label" }),
  },
  examples: ["limbeck report 2026", "limbeck report opid-1 grpo-1 --label OPID --label GRPO --out compare.html"],
  line: { path: "the file written", runs: "ids of the runs in it", bytes: "size of the file" },
  run: async ({ runs: given, out, labels }, frame) => {
    const { cwd, emit, print, style } = frame;
    const places = given.map((text) => runPlace(text, frame));
    const [root = "", ...others] = new Set(places.map((place) => resolvePlace(cwd, place.root)));
    if (others.length > 0)
      throw usageError(`The runs are in ${1 + others.length} stores; one report shows runs of one store.`);
    if (labels.length > given.length)
      throw usageError(`There are ${labels.length} labels for ${plural(given.length, "run")}; give at most one each.`);
    await withStore(root, async (store) => {
      const runs: { run: string; label: string }[] = [];
      for (const [at, { id }] of places.entries()) {
        const run = (await findRun(store, id)).id;
        runs.push({ run, label: labels[at] ?? run });
      }
      const { run: first } = runs[0] as { run: string };
      const usual = isObjectAddress(root) ? `${first}-report.html` : join(store.root, first, "report.html");
      const file = resolve(cwd, out ?? usual);
      const { writeReport } = await import("limbeck-store/report/page");
      await writeReport(store, { runs, file });
      const { size } = await stat(file);
      const shown = relative(cwd, file) || file;
      emit({ path: shown, runs: runs.map(({ run }) => run), bytes: size });
      print(`${style.green("✓")} Wrote ${style.cyan(cleanLine(shown))} (${formatBytes(size)}); open it in a browser.`);
    });
  },
});

export const report: Command = { ...command, arity: [1, MOST_RUNS] };
