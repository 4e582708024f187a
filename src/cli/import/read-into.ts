/** Reading files into a run: counts, progress, what was skipped, and what happened when it stopped. */
import { basename } from "node:path";
import { throwIfAborted } from "../../base/errors.ts";
import type { Format, Skip } from "../../store/formats/format.ts";
import type { RunWriter } from "../../store/store.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { parseCount } from "../parse.ts";
import { importedState, keyOf, type Known } from "./imported-before.ts";
import type { SessionKeeper } from "./session-keeper.ts";

export interface Source {
  readonly path: string;
  readonly bytes: number;
  readonly format: Format;
  /** Sessions of a program: they may have been imported before, and may have gone on since. */
  readonly sessions?: boolean;
}

export interface Outcome {
  /** Files read to their end. */
  files: number;
  trajectories: number;
  steps: number;
  tokens: number;
  skipped: number;
  /** The first few of what was skipped. */
  readonly skips: Skip[];
  /** Trajectories that got another id because theirs was taken. */
  renamed: number;
  /** Sessions that the store has already, as long as they are now. */
  unchanged: number;
  /** Sessions of which only what is new was stored. */
  continued: number;
  /** Files that the store has already. */
  readonly known: Known[];
}

/** A file of a million bad lines must not fill the memory or the screen. */
const KEPT_SKIPS = 10;

/** Files after which a long import notes what it has read. */
const STATE_FILES = 100;

export function createOutcome(): Outcome {
  return {
    files: 0,
    trajectories: 0,
    steps: 0,
    tokens: 0,
    skipped: 0,
    skips: [],
    renamed: 0,
    unchanged: 0,
    continued: 0,
    known: [],
  };
}

/**
 * Reads until the end or the first fault; what came before it is whole and valid. Files that runs of `before` hold, and
 * files that were given twice, are left out.
 */
export async function readInto(
  invocation: Invocation,
  writer: RunWriter,
  sources: readonly Source[],
  outcome: Outcome,
  before: ReadonlyMap<string, string>,
  keeper: SessionKeeper | undefined,
): Promise<void> {
  const total = sources.reduce((sum, source) => sum + source.bytes, 0);
  const name = sources.length === 1 ? basename(sources[0]?.path ?? "") : plural(sources.length, "file");
  const progress = invocation.progress({ label: `Importing ${cleanLine(name)}`, total, unit: "bytes" });
  try {
    let done = 0;
    const read = new Map<string, string>();
    const keys: string[] = [];
    for (const source of sources) {
      const key = await keyOf(source.path, source.format.id);
      const run = read.get(key) ?? before.get(key);
      if (run !== undefined) {
        outcome.known.push({ path: source.path, run });
        done += source.bytes;
        continue;
      }
      const onProgress = (bytes: number): void =>
        progress.update(done + bytes, plural(outcome.trajectories, "trajectory", "trajectories"));
      for await (const trajectory of readSource(invocation, source, outcome, onProgress)) {
        const kept = await keep(trajectory, source, writer, keeper);
        if (kept === undefined) outcome.unchanged += 1;
        else count(outcome, kept);
        if (kept !== undefined && kept.id !== trajectory.id) outcome.continued += 1;
        throwIfAborted(invocation.io.signal);
      }
      done += source.bytes;
      outcome.files += 1;
      read.set(key, writer.run);
      keys.push(key);
      // Written out each time; ten thousand files must not mean ten thousand growing lists.
      if (keys.length % STATE_FILES === 0 || keys.length < STATE_FILES) writer.setState(importedState(keys));
    }
    if (keys.length > 0) writer.setState(importedState(keys));
  } finally {
    progress.end();
  }
}

/** What was stored of it; undefined where the store has it all. */
async function keep(
  trajectory: Trajectory,
  source: Source,
  writer: RunWriter,
  keeper: SessionKeeper | undefined,
): Promise<Trajectory | undefined> {
  if (source.sessions === true && keeper !== undefined) return await keeper.keep(trajectory);
  await writer.append(trajectory);
  return trajectory;
}

async function* readSource(
  invocation: Invocation,
  source: Source,
  outcome: Outcome,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Trajectory, void, undefined> {
  const longest = invocation.text("max-line-bytes");
  const options = {
    // A session may be written to while it is read: its last line is then half a line.
    lenient: invocation.flag("lenient") || invocation.text("from") !== undefined,
    signal: invocation.io.signal,
    onProgress,
    onSkip: (skip: Skip) => {
      outcome.skipped += 1;
      if (outcome.skips.length < KEPT_SKIPS) outcome.skips.push(skip);
      if (invocation.json) invocation.printJson({ event: "skip", ...skip });
    },
    onNotice: (notice: Skip) => {
      outcome.renamed += 1;
      if (invocation.json) invocation.printJson({ event: "rename", ...notice });
    },
    ...(longest === undefined ? {} : { maxLineBytes: parseCount(longest, "max-line-bytes") }),
  };
  yield* source.format.read(source.path, options);
}

function count(outcome: Outcome, trajectory: Trajectory): void {
  outcome.trajectories += 1;
  outcome.steps += trajectory.steps.length;
  for (const stream of trajectory.streams) outcome.tokens += stream.ids.length;
}
