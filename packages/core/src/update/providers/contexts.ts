/** Contexts of an episode as exact tokens: what the policy had read before a step, and streams to score again. */
import { concat } from "limbeck-base/base/concat";
import type { TrajectoryBatch } from "../../credit/from-trajectories.ts";
import { endsItself, type Dialect } from "limbeck-policy/policy/dialect";
import { ancestry, createForest, type Forest } from "limbeck-base/trajectory/forest";
import type { Step, TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";
import { sharedContext, wholeStreams } from "limbeck-base/trajectory/whole-streams";

/** Where a row's response stands in the whole context of its stream, parents included. */
export interface RowSpan {
  readonly trajectory: Trajectory;
  readonly step: Step;
  readonly stream: TokenStream;
  readonly start: number;
  readonly end: number;
}

/** One entry for each row; undefined for steps without tokens. */
export function placesOf(batch: TrajectoryBatch, episodes: readonly Trajectory[]): (RowSpan | undefined)[] {
  const forest = createForest(episodes);
  const streams = new Map<string, readonly TokenStream[]>();
  return batch.rows.map((row, at) => {
    const [trajectory, step] = [forest.get(row.trajectory), batch.steps[at]];
    if (trajectory === undefined || step?.span === undefined) return undefined;
    const whole = streams.get(row.trajectory) ?? wholeStreams(forest, trajectory);
    streams.set(row.trajectory, whole);
    const stream = whole[step.span.stream];
    if (stream === undefined) return undefined;
    const own = trajectory.streams[step.span.stream]?.ids.length ?? 0;
    const offset = stream.ids.length - own;
    return { trajectory, step, stream, start: offset + step.span.start, end: offset + step.span.end };
  });
}

/** Steps before this one from the root, with their answers placed in the one context that grows with the episode. */
export function pastOf(forest: Forest, { trajectory, step }: Pick<RowSpan, "trajectory" | "step">): Step[] {
  const past: Step[] = [];
  let limit = step.index;
  for (const one of ancestry(forest, trajectory.id)) {
    const offset = sharedContext(forest, one).length;
    const own = one.steps.filter(({ index }) => index < limit);
    past.unshift(...own.map((before) => moved(before, offset)));
    limit = Math.min(limit, one.parent?.step ?? limit);
  }
  return past;
}

function moved(step: Step, offset: number): Step {
  const { span } = step;
  return span === undefined
    ? step
    : { ...step, span: { stream: 0, start: offset + span.start, end: offset + span.end } };
}

/** What the policy would read after its last answer, to decide once more; undefined where nothing is known of it. */
export function closingContext({ trajectory, stream, start, end }: RowSpan, dialect: Dialect): Int32Array | undefined {
  const observation = trajectory.closing?.observation;
  if (observation === undefined) return undefined;
  const cut = !endsItself(stream.ids.subarray(start, end), dialect);
  return concat(Int32Array, [stream.ids.subarray(0, end), dialect.turn(observation, { cut })]);
}

/** 1 on the last `count` of `length` tokens. */
export function lastTokens(length: number, count: number): Uint8Array {
  return new Uint8Array(length).fill(1, length - count);
}
