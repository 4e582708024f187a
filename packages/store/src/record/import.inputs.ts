/** What `limbeck import` takes and says. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { endFacts, newRunInput } from "../store/run.inputs.ts";
import type { RunEnd } from "../store/with-run.ts";
import type { Skip } from "../store/formats/source.ts";

/** The programs whose sessions are read. */
export async function programNames(): Promise<readonly string[]> {
  return Object.keys((await import("./importers/registry.ts")).importers).sort();
}

export async function formatNames(): Promise<readonly string[]> {
  return Object.keys((await import("../store/formats/index.ts")).formats).sort();
}

/** The names of what can be imported: formats, and programs whose sessions are read. */
async function importNames(): Promise<readonly string[]> {
  return [...(await formatNames()), ...(await programNames())];
}

/** What is left out of sessions before they are stored. */
export const redactInputs = {
  redact: input.texts("PATTERN", "Also leave out what this expression finds in the files of a program"),
  keepEmails: input.flag("Leave e-mail addresses in the files of a program as they are"),
} as const;

export const importInputs = {
  files: input.texts("FILE", "What is read", { at: "rest" }),
  from: input.choice("PROGRAM", "Sessions of this program, from its usual folder or from FILE", programNames),
  format: input.choice("F", "Format of the files", importNames),
  run: newRunInput,
  again: input.flag("Also read files that the store has already, by their content"),
  lenient: input.flag("Leave out what is faulty, go on, and report it"),
  maxLineBytes: input.count("N", "Longest line accepted"),
  yes: input.flag("Read what was found in the usual folder without asking"),
  ...redactInputs,
} as const;

const skipFacts = {
  file: "the file",
  line: "the line, where the format has lines",
  code: "what kind of fault",
  message: "what happened in words",
} as const;

export const importEvents = {
  found: {
    event: "for what lies in the usual folder",
    from: "the program",
    files: "files there",
    bytes: "the size of all files",
    folders: "where they lie",
  },
  skip: { event: "for each record left out", ...skipFacts },
  rename: { event: "for each that got another id", ...skipFacts },
  end: {
    event: "for the summary",
    run: "id of the new run; null when nothing was kept",
    files: "files read to their end",
    trajectories: "trajectories kept",
    steps: "steps kept",
    tokens: "tokens kept",
    skipped: "records left out",
    known: "files that the store had already, each with path and run",
    unchanged: "sessions that the store had already",
    continued: "sessions of which only what is new was stored",
    renamed: "trajectories that got another id because theirs was taken",
    ...endFacts,
    complete: "false when a fault or Ctrl-C ended it early",
  },
} as const;

type Counts = "files" | "trajectories" | "steps" | "tokens" | "skipped" | "renamed" | "unchanged" | "continued";

/** Counts as in the event at the end, the first few of what was skipped, and files that were not read with their runs. */
export interface Imported extends Record<Counts, number> {
  readonly skips: Skip[];
  readonly known: { readonly path: string; readonly run: string }[];
}

export interface ImportShows {
  /** Nobody wanted it. */
  readonly declined: () => void;
  readonly ended: (imported: Imported, end: RunEnd) => void;
}

export type ImportInput = Input<typeof importInputs>;
export type ImportContext = Context<EventOf<typeof importEvents>, ImportShows>;
