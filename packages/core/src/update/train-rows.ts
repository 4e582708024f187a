/** Credited episodes as rows to learn from: one row per token stream, the advantage of each step at its span. */
import type { CreditResult } from "../credit/credit.ts";
import type { TrajectoryBatch } from "../credit/from-trajectories.ts";
import { topCandidates, type Candidates } from "../distill/candidates.ts";
import type { Opinion } from "../distill/score-sequences.ts";
import type { DistributionOptions } from "./record.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { createForest, type Forest } from "limbeck-base/trajectory/forest";
import type { Span, TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";
import { sharedContext } from "limbeck-base/trajectory/whole-streams";

export interface TrainRowOptions {
  /** A teacher's scores, by trajectory and step. */
  readonly opinions?: ReadonlyMap<string, ReadonlyMap<number, Opinion>>;
  /** How the teacher's distributions are to be learned. Default: not at all. */
  readonly distribution?: DistributionOptions;
}

/** A stream on its way to becoming a row. */
interface Draft {
  readonly trajectory: Trajectory;
  readonly stream: TokenStream;
  /** The whole context: what a branch shares with its ancestors, then its own tokens. */
  readonly ids: Int32Array;
  /** Where its own tokens begin. */
  readonly offset: number;
  readonly mask: Uint8Array;
  readonly advantages: Float64Array;
  /** How wide the clip range of each token is, where the credit method says so. */
  clipScales: Float64Array | undefined;
  /** Values of the value head and their targets, where there is one. */
  oldValues: Float64Array | undefined;
  returns: Float64Array | undefined;
  teacherLogprobs: Float64Array | undefined;
  teacher: Float32Array | undefined;
  candidates: { readonly count: number; readonly ids: Int32Array } | undefined;
  teacherCandidates: Float32Array | undefined;
  teacherMask: Uint8Array | undefined;
}

/** Rows of the batch that were dropped train nothing; what the credit method left out has no row at all. */
export function trainRows(
  trajectories: readonly Trajectory[],
  batch: TrajectoryBatch,
  credit: Pick<CreditResult, "advantages" | "clipScales" | "dropped" | "returns">,
  options: TrainRowOptions = {},
): TrainRow[] {
  const forest = createForest(trajectories);
  const drafts = new Map<TokenStream, Draft>();
  const dropped = new Set(credit.dropped);
  batch.rows.forEach((row, at) => {
    const { span, index } = batch.steps[at] ?? {};
    const trajectory = forest.get(row.trajectory);
    const stream = span === undefined ? undefined : trajectory?.streams[span.stream];
    if (span === undefined || trajectory === undefined || stream === undefined || dropped.has(at)) return;
    const draft = drafts.get(stream) ?? newDraft(forest, trajectory, stream);
    drafts.set(stream, draft);
    draft.mask.set(chosenTokens(stream, span), draft.offset + span.start);
    draft.advantages.set(credit.advantages[at] as Float64Array, draft.offset + span.start);
    const scale = credit.clipScales?.[at];
    if (scale !== undefined) {
      draft.clipScales ??= new Float64Array(draft.ids.length).fill(1);
      draft.clipScales.fill(scale, draft.offset + span.start, draft.offset + span.end);
    }
    const returns = credit.returns?.[at];
    if (row.values !== undefined && returns !== undefined) {
      draft.oldValues ??= new Float64Array(draft.ids.length);
      draft.returns ??= new Float64Array(draft.ids.length);
      draft.oldValues.set(row.values, draft.offset + span.start);
      draft.returns.set(returns, draft.offset + span.start);
    }
    const opinion = options.opinions?.get(row.trajectory)?.get(index ?? -1);
    if (opinion !== undefined) teach(draft, span, opinion, options.distribution);
  });
  return [...drafts.values()].map(rowOf);
}

/** The policy's own tokens, less those at which nothing else was allowed: they were no decision. */
function chosenTokens({ mask, allowed }: TokenStream, { start, end }: Span): Uint8Array {
  const own = mask.slice(start, end);
  if (allowed === undefined) return own;
  const { offsets } = allowed;
  return own.map((one, at) => ((offsets[start + at + 1] ?? 0) - (offsets[start + at] ?? 0) === 1 ? 0 : one));
}

function newDraft(forest: Forest, trajectory: Trajectory, stream: TokenStream): Draft {
  const shared = stream === trajectory.streams[0] ? sharedContext(forest, trajectory) : new Int32Array();
  const length = shared.length + stream.ids.length;
  const ids = new Int32Array(length);
  ids.set(shared);
  ids.set(stream.ids, shared.length);
  const [mask, advantages] = [new Uint8Array(length), new Float64Array(length)];
  const wide = { teacher: undefined, candidates: undefined, teacherCandidates: undefined };
  return {
    trajectory,
    stream,
    ids,
    offset: shared.length,
    mask,
    advantages,
    clipScales: undefined,
    oldValues: undefined,
    returns: undefined,
    teacherLogprobs: undefined,
    teacherMask: undefined,
    ...wide,
  };
}

function teach(draft: Draft, span: Span, opinion: Opinion, wide: DistributionOptions | undefined): void {
  const { length } = draft.ids;
  const [start, end] = [draft.offset + span.start, draft.offset + span.end];
  const word = opinion.step ?? opinion.episode;
  if (word === undefined) return;
  draft.teacherLogprobs ??= new Float64Array(length);
  draft.teacherMask ??= new Uint8Array(length);
  draft.teacherLogprobs.set(word, start);
  draft.teacherMask.fill(1, start, end);
  if (opinion.candidates !== undefined) return offer(draft, start, opinion.candidates);
  if (wide === undefined || opinion.distribution === undefined) return;
  const { vocabularySize } = wide;
  if (wide.candidates === null) {
    draft.teacher ??= new Float32Array(length * vocabularySize);
    draft.teacher.set(opinion.distribution, start * vocabularySize);
    return;
  }
  offer(draft, start, topCandidates(opinion.distribution, vocabularySize, wide.candidates));
}

function offer(draft: Draft, start: number, { count, ids, logprobs }: Candidates): void {
  const { length } = draft.ids;
  draft.candidates ??= { count, ids: new Int32Array(length * count) };
  draft.teacherCandidates ??= new Float32Array(length * count);
  draft.candidates.ids.set(ids, start * count);
  draft.teacherCandidates.set(logprobs, start * count);
}

function rowOf({ trajectory, stream, ids, offset, mask, advantages, ...taught }: Draft): TrainRow {
  const old = new Float64Array(ids.length);
  old.set(stream.logprobs ?? [], offset);
  const known = Object.entries(taught).filter(([, value]) => value !== undefined);
  return {
    ids,
    mask,
    advantages,
    group: trajectory.group,
    trajectory: trajectory.id,
    ...(stream.logprobs === undefined ? {} : { oldLogprobs: old }),
    ...(stream.versions === undefined ? {} : { versions: versionsOf(trajectory, stream.versions, offset) }),
    ...Object.fromEntries(known),
  };
}

/** Another run counts its versions for itself, so that its numbers say nothing here. */
function versionsOf({ info }: Trajectory, versions: Int32Array, offset: number): Int32Array {
  const own = new Int32Array(offset + versions.length).fill(-1);
  if (info?.["shared"] === undefined) own.set(versions, offset);
  return own;
}
