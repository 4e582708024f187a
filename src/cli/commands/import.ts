/** `limbeck import`: trajectories from files into a new run. */
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { importNames, programNames } from "../format-names.ts";
import { saySummary } from "../import/summary.ts";
import { createOutcome, readInto, type Source } from "../import/read-into.ts";
import { loadNatives } from "../natives.ts";
import { withRun } from "../with-run.ts";
import { flag, shared, text, texts } from "../options.ts";

export const importCommand: Command = {
  group: "data",
  summary: "Bring trajectories from files, or the sessions of an agent, into a new run",
  usage: "[FILE…] [--from PROGRAM] [--format F] [--run ID] [--lenient] [--yes]",
  description:
    "The format is found from the file's name and first bytes where --format does not name it; --format lists them below. Files are streamed, so size does not matter.\n" +
    "--from names a program whose sessions are read: claude-code, codex, opencode, gemini-cli, pi, copilot-chat and others. Without a FILE its usual folder is looked up, what is there is said, and you are asked first; --yes answers. Keys and e-mail addresses are taken out before anything is stored. What cannot be read is left out and said. A session that went on since the last import is continued, not stored twice.\n" +
    "A file whose content the store has already, read to its end in the same format, is left out, and that is said.\n" +
    "A fault stops the import and names file and line; what was read before it is kept. With --lenient faulty records are left out and reported.",
  arity: [0, Number.POSITIVE_INFINITY],
  options: {
    from: text("PROGRAM", "Sessions of this program, from its usual folder or from FILE", programNames),
    format: text("F", "Format of the files", importNames),
    run: shared.newRun,
    again: flag("Also read files that the store has already, by their content"),
    lenient: flag("Leave out what is faulty, go on, and report it"),
    "max-line-bytes": text("N", "Longest line accepted"),
    yes: flag("Read what was found in the usual folder without asking"),
    redact: texts("PATTERN", "Also leave out what this expression finds in the files of a program"),
    "keep-emails": flag("Leave e-mail addresses in the files of a program as they are"),
  },
  examples: [
    "limbeck import --from claude-code",
    "limbeck import chats.jsonl",
    "limbeck import logs/*.json --format atif --run agents-may",
    "limbeck import dump.jsonl --lenient --json",
  ],
  jsonFields: {
    event:
      '"found" for what lies in the usual folder, "skip" for each record left out, "rename" for each that got another id, "end" for the summary',
    from: "found: the program",
    bytes: "found: the size of all files",
    folders: "found: where they lie",
    file: "skip, rename: the file",
    line: "skip, rename: the line, where the format has lines",
    code: "skip, rename: what kind of fault",
    message: "skip, rename: what happened in words",
    run: "end: id of the new run; null when nothing was kept",
    files: "found: files there; end: files read to their end",
    trajectories: "end: trajectories kept",
    steps: "end: steps kept",
    tokens: "end: tokens kept",
    skipped: "end: records left out",
    known: "end: files that the store had already, each with path and run",
    unchanged: "end: sessions that the store had already",
    continued: "end: sessions of which only what is new was stored",
    renamed: "end: trajectories that got another id because theirs was taken",
    complete: "end: false when a fault or Ctrl-C ended it early",
    durationMs: "end: time taken",
  },
  run: async (invocation) => {
    const { findSources } = await import("../import/find-sources.ts");
    const sources = await findSources(invocation);
    if (sources === null) {
      invocation.print("Nothing was read.");
      return EXIT.done;
    }
    await loadNatives(sources.some(({ format }) => format.id === "parquet") ? ["duckdb"] : []);
    return importAll(invocation, sources);
  },
};

async function importAll(invocation: Invocation, sources: readonly Source[]): Promise<number> {
  const outcome = createOutcome();
  const { sourceNames } = await import("../import/find-sources.ts");
  const config = sourceNames(sources);
  return await withRun(invocation, {
    begin: { kind: "import", config },
    collect: async (writer, store) => {
      const { runsByKey } = await import("../import/imported-before.ts");
      const before = invocation.flag("again") ? new Map<string, string>() : await runsByKey(store, writer.run);
      const { SessionKeeper } = await import("../import/session-keeper.ts");
      const again = invocation.flag("again");
      const sessions = sources.some((source) => source.sessions === true);
      const keeper = sessions ? await SessionKeeper.open(store, writer, again) : undefined;
      try {
        await readInto(invocation, writer, sources, outcome, before, keeper);
      } finally {
        await keeper?.close();
      }
    },
    // What was continued lies in the runs that held it.
    stored: () => outcome.trajectories - outcome.continued,
    say: (end) => {
      const { skips: _, ...read } = outcome;
      const { run, fault, durationMs, committed } = end;
      const counts = committed === undefined ? read : { ...read, trajectories: committed };
      if (invocation.json) {
        invocation.printJson({ event: "end", run, ...counts, complete: fault === undefined, durationMs });
      }
      saySummary(invocation, outcome, end);
      return outcome.trajectories === 0 && outcome.skipped > 0 ? EXIT.input : EXIT.done;
    },
    reportsStop: true,
  });
}
