/** Reading files into a run: counts, progress, what was skipped, and what happened when it stopped. */
import { basename } from "node:path";
import { throwIfAborted } from "../../base/index.ts";
import type { Format, Skip } from "../../store/formats/format.ts";
import type { RunWriter } from "../../store/store.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { parseCount } from "../parse.ts";
import { importedState, keyOf, type Known } from "./imported-before.ts";

export interface Source {
  readonly path: string;
  readonly bytes: number;
  readonly format: Format;
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
  /** Files that the store has already. */
  readonly known: Known[];
}

/** A file of a million bad lines must not fill the memory or the screen. */
const KEPT_SKIPS = 10;

export function createOutcome(): Outcome {
  return { files: 0, trajectories: 0, steps: 0, tokens: 0, skipped: 0, skips: [], renamed: 0, known: [] };
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
): Promise<void> {
  const total = sources.reduce((sum, source) => sum + source.bytes, 0);
  const name = sources.length === 1 ? basename(sources[0]?.path ?? "") : plural(sources.length, "file");
  const progress = invocation.progress({ label: `Importing ${cleanLine(name)}`, total, unit: "bytes" });
  try {
    let done = 0;
    const read = new Map<string, string>();
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
        await writer.append(trajectory);
        count(outcome, trajectory);
        throwIfAborted(invocation.io.signal);
      }
      done += source.bytes;
      outcome.files += 1;
      read.set(key, writer.run);
      writer.setState(importedState([...read.keys()]));
    }
  } finally {
    progress.end();
  }
}

async function* readSource(
  invocation: Invocation,
  source: Source,
  outcome: Outcome,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Trajectory, void, undefined> {
  const longest = invocation.text("max-line-bytes");
  const options = {
    lenient: invocation.flag("lenient"),
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
