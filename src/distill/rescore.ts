/**
 * The policy's own words, scored again by a teacher that has the skill in its context. Nothing is sampled; the sequences
 * of one trajectory share their history, so that token trees make most of them cheap.
 */
import { throwIfAborted } from "../base/index.ts";
import type { Dialect, RowStatistics, Scorer } from "../policy/index.ts";
import {
  teacherForest,
  type Analysis,
  type LostRow,
  type TeacherForestOptions,
  type TeacherSequence,
} from "../skill/index.ts";
import type { Trajectory } from "../trajectory/index.ts";

/** What the teacher thinks of one response, token by token. */
export interface Opinion {
  /** Log-probabilities with the episode skill, or the step skill, in the context. */
  readonly episode?: Float64Array;
  readonly step?: Float64Array;
  /** Log-probabilities over the whole vocabulary, flat per token, of the step teacher or else the episode teacher. */
  readonly distribution?: Float32Array;
}

export interface RescoreOptions {
  readonly scorer: Scorer;
  readonly dialect: Dialect;
  readonly forest: TeacherForestOptions;
  /** Also the teacher's whole distribution at every token; the size of the vocabulary. */
  readonly vocabularySize?: number;
  readonly signal?: AbortSignal;
}

export interface Rescored {
  /** By trajectory, then by step. A step that is not there has no teacher. */
  readonly opinions: ReadonlyMap<string, ReadonlyMap<number, Opinion>>;
  readonly lost: readonly (LostRow & { readonly trajectory: string })[];
  readonly sequences: number;
  /** Tokens scored, and those that shared history made unnecessary. */
  readonly tokens: number;
  readonly tokensSaved: number;
}

/** Sequences scored in one call when whole distributions are asked for; they are large. */
const WIDE_SEQUENCES = 96;

export async function rescore(
  trajectories: readonly Trajectory[],
  analyses: ReadonlyMap<string, Analysis>,
  options: RescoreOptions,
): Promise<Rescored> {
  const opinions = new Map<string, Map<number, MutableOpinion>>();
  const lost: (LostRow & { trajectory: string })[] = [];
  const jobs: Job[] = [];
  for (const trajectory of trajectories) {
    const analysis = analyses.get(trajectory.id);
    if (analysis === undefined) continue;
    const grown = teacherForest(trajectory, analysis, options.dialect, options.forest);
    for (const row of grown.lost) lost.push({ ...row, trajectory: trajectory.id });
    for (const sequence of grown.sequences) jobs.push({ trajectory, sequence });
  }
  let [tokens, tokensSaved] = [0, 0];
  for (const batch of batchesOf(jobs, options.vocabularySize === undefined ? Infinity : WIDE_SEQUENCES)) {
    throwIfAborted(options.signal);
    const scored = await score(batch, options, (report) => {
      tokens += report.tokens;
      tokensSaved += report.tokensSaved;
    });
    batch.forEach((job, at) => enter(opinions, job, scored[at] as RowStatistics, options.vocabularySize));
  }
  return { opinions, lost, sequences: jobs.length, tokens, tokensSaved };
}

interface Job {
  readonly trajectory: Trajectory;
  readonly sequence: TeacherSequence;
}

type MutableOpinion = { -readonly [Key in keyof Opinion]: Opinion[Key] };

/** Sequences of one trajectory stay together: they share their history. */
function batchesOf(jobs: readonly Job[], most: number): Job[][] {
  const batches: Job[][] = [];
  for (const job of jobs) {
    const last = batches.at(-1);
    const same = last?.at(-1)?.trajectory === job.trajectory;
    if (last !== undefined && (same || last.length < most)) last.push(job);
    else batches.push([job]);
  }
  return batches;
}

async function score(
  batch: readonly Job[],
  { scorer, vocabularySize, signal }: RescoreOptions,
  report: (report: { readonly tokens: number; readonly tokensSaved: number }) => void,
): Promise<RowStatistics[]> {
  const rows = batch.map(({ sequence }) => ({ ids: sequence.ids, mask: sequence.mask }));
  const common = { report, ...(signal === undefined ? {} : { signal }) };
  if (vocabularySize === undefined) return await scorer.score(rows, { ...common, statistics: ["logprob"] });
  // Every row asks for the same ids at every token, so one array serves all of them.
  const longest = rows.reduce((most, { ids }) => Math.max(most, ids.length), 0);
  const every = Int32Array.from({ length: longest * vocabularySize }, (_, at) => at % vocabularySize);
  const wide = rows.map((row) => ({
    ...row,
    candidates: { count: vocabularySize, ids: every.subarray(0, row.ids.length * vocabularySize) },
  }));
  return await scorer.score(wide, { ...common, statistics: ["logprob", "candidates"] });
}

function enter(
  opinions: Map<string, Map<number, MutableOpinion>>,
  { trajectory, sequence }: Job,
  scored: RowStatistics,
  vocabularySize: number | undefined,
): void {
  const steps = opinions.get(trajectory.id) ?? new Map<number, MutableOpinion>();
  opinions.set(trajectory.id, steps);
  const { positions, tokens, teacher } = sequence;
  const lengths = responseLengths(trajectory);
  sequence.steps.forEach((step, at) => {
    const opinion = steps.get(step) ?? {};
    steps.set(step, opinion);
    const length = lengths.get(step) ?? 0;
    const values = (opinion[teacher] ??= new Float64Array(length));
    const [position, token] = [positions[at] as number, tokens[at] as number];
    values[token] = scored.logprob?.[position] as number;
    // The step's own teacher has the last word; it is scored after the trunk.
    if (vocabularySize === undefined || (teacher === "episode" && opinion.step !== undefined)) return;
    const wide = (opinion.distribution ??= new Float32Array(length * vocabularySize));
    const from = position * vocabularySize;
    wide.set(scored.candidates?.subarray(from, from + vocabularySize) ?? [], token * vocabularySize);
  });
}

function responseLengths(trajectory: Trajectory): Map<number, number> {
  return new Map(trajectory.steps.map(({ index, span }) => [index, span === undefined ? 0 : span.end - span.start]));
}
