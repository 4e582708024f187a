/**
 * Recordings of limbeck-recorder: JSON lines of calls, ends and feedback; a file or a folder of files, of which several
 * may hold parts of one trajectory. Read only. A trajectory is held until its lines have been quiet for a while.
 */
import { throwIfAborted } from "limbeck-base/base/errors";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { attempt, type FileLine } from "./fault.ts";
import type { Source, ReadOptions } from "./source.ts";
import { readJsonValues } from "./json-values.ts";
import {
  readRecordedLine,
  type Feedback,
  type RecordedCall,
  type RecordedEnd,
  type RecordedLine,
} from "./recorded-lines.ts";
import { recordedTrajectory } from "./recorded-trajectory.ts";
import { createRenamer } from "./renamed.ts";

export const recorder: Source = {
  id: "recorder",
  summary: "Recordings of limbeck-recorder (calls of a model as JSON lines), read only.",
  ending: /\.calls\.jsonl(\.gz)?$/,
  sign: /^\s*\{"limbeck":"(?:call|end|feedback)"/,
  loses: "it is not written",
  read: readRecordings,
};

/** A trajectory is whole once this many lines of others followed. */
const QUIET_LINES = 50_000;

interface Held {
  readonly place: FileLine;
  readonly calls: RecordedCall[];
  readonly feedback: Feedback[];
  end?: RecordedEnd;
  readonly first: number;
  last: number;
}

async function* readRecordings(path: string, options: ReadOptions): AsyncGenerator<Trajectory, void, undefined> {
  const rename = createRenamer(options);
  const held = new Map<string, Held>();
  let lines = 0;
  const give = function* (id: string, { place, ...parts }: Held): Generator<Trajectory, void, undefined> {
    held.delete(id);
    throwIfAborted(options.signal);
    if (parts.calls.length === 0) {
      const message = `There is feedback or an end for trajectory ${JSON.stringify(id)}, and no call of it. Use "limbeck feedback".`;
      options.onNotice?.({ ...place, code: "no-calls", message });
      return;
    }
    const trajectory = attempt(place, options, () => recordedTrajectory({ id, ...parts }));
    if (trajectory !== undefined) yield rename(trajectory, place);
  };
  for await (const { value, file, line } of readJsonValues(path, [], options)) {
    const place = { file, line };
    const read = attempt(place, options, () => readRecordedLine(value, place));
    if (read === undefined) continue;
    lines += 1;
    add(held, read, place, lines);
    // A map keeps the order of insertion, and `add` moves what it touches to the end: the first is the quietest.
    for (const [id, parts] of held) {
      if (lines - parts.last < QUIET_LINES) break;
      yield* give(id, parts);
    }
  }
  const left = [...held].sort(([, one], [, other]) => one.first - other.first);
  for (const [id, parts] of left) yield* give(id, parts);
}

function add(held: Map<string, Held>, line: RecordedLine, place: FileLine, number: number): void {
  const parts = held.get(line.trajectory) ?? { place, calls: [], feedback: [], first: number, last: number };
  parts.last = number;
  held.delete(line.trajectory);
  held.set(line.trajectory, parts);
  if (line.limbeck === "call") parts.calls.push(line);
  else if (line.limbeck === "end") parts.end = line;
  else {
    const { limbeck: _kind, v: _version, trajectory: _trajectory, ...feedback } = line;
    parts.feedback.push(feedback);
  }
}
