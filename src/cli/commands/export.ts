/** `limbeck export`: stored trajectories into a file of another format. */
import { resolve, sep } from "node:path";
import { lookUp } from "../../base/registry.ts";
import type { Format } from "../../store/formats/format.ts";
import type { QueryOptions, Store } from "../../store/store.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { writableFormatNames } from "../format-names.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatBytes, plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { readOptions, readScope, withStore } from "../with-store.ts";
import { flag, text } from "../options.ts";

export const exportCommand: Command = {
  group: "data",
  summary: "Write stored trajectories to a file of another format",
  usage: "--format F --out PATH [--pairs SOURCE] [--run ID] [--where SQL] [--overwrite]",
  description:
    "--format preferences writes pairs instead of trajectories, one JSON line each with prompt, chosen and rejected as chat messages, for trainers elsewhere.\n" +
    "What the format cannot hold is said before it is lost. The target appears when it is complete; a failed or interrupted export leaves none.",
  options: {
    format: text("F", "Format of the file", exportNames),
    out: text("PATH", "Where to write; parquet makes a folder, atif too for a path that ends in /"),
    ...readOptions,
    where: text("SQL", "A condition on the columns of the view trajectories"),
    overwrite: flag("Replace the file if it is there"),
    pairs: text("SOURCE", "With --format preferences: how pairs are found. Default: episodes", pairSourceNames),
    "no-content": flag("otel only: leave out the texts of messages, tools and tasks"),
  },
  examples: [
    "limbeck export --format atif --out agents.atif.json",
    'limbeck export --format parquet --out good --where "success and step_count < 20"',
    "limbeck export --format preferences --pairs cso --run cso-1 --out pairs.jsonl",
  ],
  jsonFields: {
    path: "the file written",
    format: "its format",
    trajectories: "trajectories written; with preferences, trajectories read",
    pairs: "preferences: pairs written",
    bytes: "size of the file",
    loses: "what the format cannot hold; empty when it holds everything",
  },
  natives: ["duckdb"],
  run: async (invocation) => {
    const { formats } = await import("../../store/formats/index.ts");
    const out = invocation.text("out");
    const name = invocation.text("format");
    if (name === undefined) {
      throw usageError(`"limbeck export" needs --format F; known: ${(await exportNames()).join(", ")}.`);
    }
    if (out === undefined) throw usageError('"limbeck export" needs --out PATH, the file to write.');
    if (name === PREFERENCES) {
      const { exportPairs } = await import("../export/export-pairs.ts");
      const source = invocation.text("pairs") ?? "episodes";
      return withStore(invocation.storeRoot, (store) => exportPairs(invocation, store, source, out));
    }
    if (invocation.text("pairs") !== undefined) {
      throw usageError(`--pairs goes with --format ${PREFERENCES}, not with ${name}.`);
    }
    const format = lookUp<Format>(formats, name, "format");
    return withStore(invocation.storeRoot, (store) => exportAll(invocation, store, format, out));
  },
};

const PREFERENCES = "preferences";

async function exportNames(): Promise<readonly string[]> {
  return [...(await writableFormatNames()), PREFERENCES].sort();
}

async function pairSourceNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../distill/index.ts")).pairSources);
}

async function exportAll(invocation: Invocation, store: Store, format: Format, out: string): Promise<number> {
  const { io, style } = invocation;
  // A target that ends in a slash asks for a folder; resolving alone would lose that.
  const path = resolve(io.cwd, out) + (/[/\\]$/.test(out) ? sep : "");
  const where = invocation.text("where");
  const { signal, ...scope } = await readScope(invocation, store);
  const total = await countMatches(store, where, { ...scope, signal });
  if (total === 0) {
    throw usageError("No stored trajectory matches, so nothing was written. Try limbeck runs, or another --where.");
  }
  if (format.loses !== "")
    invocation.note(
      `${style.yellow("!")} ${cleanLine(format.id)} cannot hold everything. Lost: ${cleanLine(format.loses)}`,
    );
  const progress = invocation.progress({ label: `Exporting to ${cleanLine(out)}`, total });
  const written = await format
    .write(path, store.trajectories({ ...scope, ...(where === undefined ? {} : { where }) }), {
      signal,
      onProgress: (done) => progress.update(done),
      overwrite: invocation.flag("overwrite"),
      content: !invocation.flag("no-content"),
    })
    .finally(progress.end);
  if (invocation.json) invocation.printJson({ path, format: format.id, ...written, loses: format.loses });
  invocation.print(
    `${style.green("✓")} Wrote ${plural(written.trajectories, "trajectory", "trajectories")} to ${style.cyan(cleanLine(out))} ${style.dim(`(${format.id}, ${formatBytes(written.bytes)})`)}`,
  );
  return EXIT.done;
}

/** How many there are, for the progress bar; also finds a faulty condition before a file is touched. */
async function countMatches(store: Store, where: string | undefined, scope: QueryOptions): Promise<number> {
  // The line break ends a comment in the condition before the bracket closes.
  const condition = where === undefined ? "" : ` where (${where}\n)`;
  const { rows } = await store.query(`select count(*) from trajectories${condition}`, scope);
  return Number(rows[0]?.[0] ?? 0);
}
