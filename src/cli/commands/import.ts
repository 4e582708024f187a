/** `limbeck import`: trajectories from files into a new run. */
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { EngineError, lookUp, sum } from "../../base/index.ts";
import type { Format } from "../../store/formats/format.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { formatNames } from "../format-names.ts";
import { saySummary } from "../import/summary.ts";
import { createOutcome, readInto, type Source } from "../import/read-into.ts";
import { loadNatives } from "../natives.ts";
import { withRun } from "../with-run.ts";
import { flag, shared, text } from "../options.ts";

export const importCommand: Command = {
  group: "data",
  summary: "Bring trajectories from files into a new run",
  usage: "FILE… [--format F] [--run ID] [--lenient]",
  description:
    "The format is found from the file's name and first bytes where --format does not name it; limbeck import --help lists them. Files are streamed, so size does not matter.\n" +
    "A file whose content the store has already, read to its end in the same format, is left out, and that is said.\n" +
    "A fault stops the import and names file and line; what was read before it is kept. With --lenient faulty records are left out and reported.",
  arity: [1, Number.POSITIVE_INFINITY],
  options: {
    format: text("F", "Format of the files", formatNames),
    run: shared.newRun,
    again: flag("Also read files that the store has already, by their content"),
    lenient: flag("Leave out what is faulty, go on, and report it"),
    "max-line-bytes": text("N", "Longest line accepted"),
  },
  examples: [
    "limbeck import chats.jsonl",
    "limbeck import logs/*.json --format atif --run agents-may",
    "limbeck import dump.jsonl --lenient --json",
  ],
  jsonFields: {
    event: '"skip" for each record left out, "rename" for each that got another id, "end" for the summary',
    file: "skip, rename: the file",
    line: "skip, rename: the line, where the format has lines",
    code: "skip, rename: what kind of fault",
    message: "skip, rename: what happened in words",
    run: "end: id of the new run; null when nothing was kept",
    files: "end: files read to their end",
    trajectories: "end: trajectories kept",
    steps: "end: steps kept",
    tokens: "end: tokens kept",
    skipped: "end: records left out",
    known: "end: files that the store had already, each with path and run",
    renamed: "end: trajectories that got another id because theirs was taken",
    complete: "end: false when a fault or Ctrl-C ended it early",
    durationMs: "end: time taken",
  },
  run: async (invocation) => {
    const sources = await findSources(invocation);
    await loadNatives(sources.some(({ format }) => format.id === "parquet") ? ["duckdb"] : []);
    return importAll(invocation, sources);
  },
};

/** Every file is looked at before the first is read: a typing error in the last name must not cost an hour. */
async function findSources(invocation: Invocation): Promise<Source[]> {
  const { formats, detectFormat } = await import("../../store/formats/index.ts");
  const named = invocation.text("format");
  const sources: Source[] = [];
  for (const file of invocation.positionals) {
    const path = resolve(invocation.io.cwd, file);
    const bytes = await sizeOf(path).catch((error: unknown) => {
      throw new EngineError("bad-input", `Cannot read "${file}".`, { details: { file }, cause: error });
    });
    const format = named === undefined ? await detectFormat(path) : lookUp<Format>(formats, named, "format");
    sources.push({ path, bytes, format });
  }
  return sources;
}

/** Bytes of a file, or of all files below a folder; what the progress bar counts to. */
async function sizeOf(path: string): Promise<number> {
  const about = await stat(path);
  if (!about.isDirectory()) return about.size;
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = entries.map(async (entry) =>
    entry.isFile() ? (await stat(join(entry.parentPath, entry.name))).size : 0,
  );
  return sum(await Promise.all(sizes));
}

async function importAll(invocation: Invocation, sources: readonly Source[]): Promise<number> {
  const outcome = createOutcome();
  const config = { files: sources.map(({ path }) => basename(path)), formats: sources.map(({ format }) => format.id) };
  return await withRun(invocation, {
    begin: { kind: "import", config },
    collect: async (writer, store) => {
      const { runsByKey } = await import("../import/imported-before.ts");
      const before = invocation.flag("again") ? new Map<string, string>() : await runsByKey(store, writer.run);
      await readInto(invocation, writer, sources, outcome, before);
    },
    stored: () => outcome.trajectories,
    say: (end) => {
      const { skips: _, ...counts } = outcome;
      const { run, fault, durationMs } = end;
      if (invocation.json) {
        invocation.printJson({ event: "end", run, ...counts, complete: fault === undefined, durationMs });
      }
      saySummary(invocation, outcome, end);
      return outcome.trajectories === 0 && outcome.skipped > 0 ? EXIT.input : EXIT.done;
    },
    tellsStop: true,
  });
}
