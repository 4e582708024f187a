/** Steps that a corrector chose, as something to learn from: they count in the credit, and get a row of their own. */
import type { TrainRow } from "../policy/index.ts";
import type { Step, Trajectory } from "../trajectory/index.ts";

/** What a corrector's steps are marked by. */
const isCorrected = ({ info }: Step): boolean => info?.["source"] === "corrector";

/** The same episode with its corrected steps as the policy's own, so that credit is assigned to them. */
export function withCorrectedSteps(trajectory: Trajectory): Trajectory {
  const corrected = trajectory.steps.filter(isCorrected);
  if (corrected.length === 0) return trajectory;
  const streams = trajectory.streams.map((stream, at) => {
    const mask = stream.mask.slice();
    for (const { span } of corrected) if (span?.stream === at) mask.fill(1, span.start, span.end);
    return { ...stream, mask };
  });
  return { ...trajectory, streams };
}

export interface PartedRows {
  /** The policy's own tokens. */
  readonly own: readonly TrainRow[];
  /** Corrected tokens alone. */
  readonly corrected: readonly TrainRow[];
}

/** Own and corrected tokens in rows of their own. `episodes` are those that the rows were made of. */
export function partRows(rows: readonly TrainRow[], episodes: readonly Trajectory[]): PartedRows {
  const known = new Map(episodes.map((one) => [one.id, one]));
  const [own, corrected]: [TrainRow[], TrainRow[]] = [[], []];
  for (const row of rows) {
    const places = correctedPlaces(row, known.get(row.trajectory ?? ""));
    if (!places.includes(1)) {
      own.push(row);
      continue;
    }
    own.push({ ...row, mask: row.mask.map((on, at) => (places[at] === 1 ? 0 : on)) });
    corrected.push({ ...row, mask: row.mask.map((on, at) => (places[at] === 1 ? on : 0)) });
  }
  return { own, corrected };
}

/** 1 at corrected tokens. A row ends with its stream; what a branch shares with its parent stands before. */
function correctedPlaces({ ids }: TrainRow, trajectory: Trajectory | undefined): Uint8Array {
  const places = new Uint8Array(ids.length);
  for (const { span } of trajectory?.steps.filter(isCorrected) ?? []) {
    const stream = span === undefined ? undefined : trajectory?.streams[span.stream];
    if (span === undefined || stream === undefined) continue;
    const offset = ids.length - stream.ids.length;
    if (endsWith(ids, stream.ids)) places.fill(1, offset + span.start, offset + span.end);
  }
  return places;
}

/** Tells the rows of several streams apart. */
function endsWith(ids: Int32Array, stream: Int32Array): boolean {
  const offset = ids.length - stream.length;
  return offset >= 0 && stream.every((id, at) => ids[offset + at] === id);
}
