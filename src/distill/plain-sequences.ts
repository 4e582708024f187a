/** What a teacher scores when it knows nothing more than the policy did: the streams as they were sampled. */
import type { TeacherSequence } from "../skill/teacher-forest.ts";
import { createForest, wholeStreams, type Trajectory } from "../trajectory/index.ts";

/** One sequence for each stream, a branch's with its parents' tokens before it. Episodes without tokens have none. */
export function plainSequences(episodes: readonly Trajectory[]): ReadonlyMap<Trajectory, readonly TeacherSequence[]> {
  const forest = createForest(episodes);
  return new Map(
    episodes.map((trajectory) => {
      const streams = wholeStreams(forest, trajectory);
      const found = streams.flatMap(({ ids }, stream) => {
        const before = ids.length - (trajectory.streams[stream]?.ids.length ?? 0);
        const sequence = sequenceOf(trajectory, stream, ids, before);
        return sequence === undefined ? [] : [sequence];
      });
      return [trajectory, found];
    }),
  );
}

function sequenceOf(
  { steps }: Trajectory,
  stream: number,
  ids: Int32Array,
  before: number,
): TeacherSequence | undefined {
  const mask = new Uint8Array(ids.length);
  const positions: number[] = [];
  const owners: number[] = [];
  const tokens: number[] = [];
  for (const { index, span } of steps) {
    if (span?.stream !== stream) continue;
    for (let at = span.start; at < span.end; at += 1) {
      mask[before + at] = 1;
      positions.push(before + at);
      owners.push(index);
      tokens.push(at - span.start);
    }
  }
  if (positions.length === 0) return undefined;
  return {
    teacher: "episode",
    skills: [],
    ids,
    mask,
    positions: Int32Array.from(positions),
    steps: Int32Array.from(owners),
    tokens: Int32Array.from(tokens),
  };
}
