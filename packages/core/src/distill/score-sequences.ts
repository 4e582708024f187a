/** Sequences through a teacher's scorer, and its answers back to the steps and tokens they are about. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { Mutable } from "limbeck-base/base/fields";
import type { RowStatistics, Scorer, ScoreOptions, ScoreRow, TopTokens } from "limbeck-policy/policy/policy";
import type { LostRow, TeacherSequence } from "../skill/teacher-forest.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { topCandidates, type Candidates } from "./candidates.ts";

/** What the teacher thinks of one response, token by token. */
export interface Opinion {
  /** Log-probabilities with the episode's context, or the step's own, before the response. */
  readonly episode?: Float64Array;
  readonly step?: Float64Array;
  /** Log-probabilities over the whole vocabulary, flat per token, of the step teacher or else the episode teacher. */
  readonly distribution?: Float32Array;
  /** The same for some words only. */
  readonly candidates?: Candidates;
}

/** How much of the teacher's distribution is asked for, beside the sampled token. */
export type Width =
  | { readonly kind: "vocabulary"; readonly size: number }
  /** Its most likely words; `size` is the vocabulary's, for scorers that cannot search it themselves. */
  | { readonly kind: "top"; readonly count: number; readonly size: number }
  /** These words, of a response's tokens; every token has as many. */
  | {
      readonly kind: "given";
      readonly count: number;
      readonly of: (trajectory: string, step: number) => Pick<Candidates, "ids"> | undefined;
    };

export interface Job {
  readonly trajectory: Trajectory;
  readonly sequence: TeacherSequence;
}

export interface ScoreJobsOptions {
  readonly scorer: Scorer;
  /** Another scorer for some trajectories. Default: `scorer` for all. */
  readonly scorerFor?: ((trajectory: Trajectory) => Scorer) | undefined;
  readonly width?: Width | undefined;
  readonly signal?: AbortSignal | undefined;
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

/** Sequences scored in one call when more than the sampled tokens is asked for; the answers are large. */
const WIDE_SEQUENCES = 96;

/** Jobs are taken as they are needed: the next sequences may be made while the scorer works on those before. */
export async function scoreJobs(jobs: Iterable<Job>, options: ScoreJobsOptions): Promise<Omit<Rescored, "lost">> {
  const opinions = new Map<string, Map<number, Mutable<Opinion>>>();
  let [sequences, tokens, tokensSaved] = [0, 0, 0];
  const report = (counts: { readonly tokens: number; readonly tokensSaved: number }): void => {
    tokens += counts.tokens;
    tokensSaved += counts.tokensSaved;
  };
  const underWay: { readonly batch: readonly Job[]; readonly scores: Promise<SequenceScores[]> }[] = [];
  const finish = async (most: number): Promise<void> => {
    while (underWay.length > most) {
      const { batch, scores } = underWay.shift() as (typeof underWay)[number];
      const answers = await scores;
      batch.forEach((job, at) => addOpinions(opinions, job, answers[at] as SequenceScores, options.width));
    }
  };
  for (const { scorer, batch } of batchesOf(jobs, options)) {
    throwIfAborted(options.signal);
    sequences += batch.length;
    const scores = ask(scorer, batch, options, report);
    // It is looked at in its turn.
    scores.catch(() => undefined);
    underWay.push({ batch, scores });
    await finish((scorer.inFlight ?? 1) - 1);
    // What was asked is on its way before the next sequences are made.
    if (underWay.length > 0) await nextTurn();
  }
  await finish(0);
  return { opinions, sequences, tokens, tokensSaved };
}

/** Of one sequence: the sampled tokens, and what else was asked for at every position. */
interface SequenceScores {
  readonly logprob: Float32Array;
  readonly wide?: Pick<Candidates, "count" | "logprobs"> & { readonly ids?: Int32Array };
}

interface Batch {
  readonly scorer: Scorer;
  readonly batch: Job[];
}

/** Each as soon as it is full. Sequences of one trajectory stay together: they share their history. */
function* batchesOf(jobs: Iterable<Job>, { scorer: usual, scorerFor, width }: ScoreJobsOptions): Generator<Batch> {
  const begun = new Map<Scorer, Job[]>();
  for (const job of jobs) {
    const scorer = scorerFor?.(job.trajectory) ?? usual;
    const { inFlight = 1 } = scorer;
    // All that is under way together is bounded.
    const most = width === undefined && inFlight === 1 ? Infinity : Math.ceil(WIDE_SEQUENCES / inFlight);
    const batch = begun.get(scorer) ?? [];
    if (batch.length >= most && batch.at(-1)?.trajectory !== job.trajectory) {
      yield { scorer, batch };
      begun.set(scorer, [job]);
    } else {
      batch.push(job);
      begun.set(scorer, batch);
    }
  }
  for (const [scorer, batch] of begun) yield { scorer, batch };
}

async function ask(
  scorer: Scorer,
  batch: readonly Job[],
  { width, signal }: ScoreJobsOptions,
  report: NonNullable<ScoreOptions["report"]>,
): Promise<SequenceScores[]> {
  const rows = batch.map(({ sequence }): ScoreRow => ({ ids: sequence.ids, mask: sequence.mask }));
  const cancelled = signal === undefined ? {} : { signal };
  const scoreSampled = async (): Promise<RowStatistics[]> =>
    await scorer.score(rows, { ...cancelled, report, statistics: ["logprob"] });
  if (width === undefined) return (await scoreSampled()).map(({ logprob }) => ({ logprob: logprob as Float32Array }));
  if (width.kind === "top" && scorer.topTokens !== undefined) {
    const count = Math.min(width.count, width.size);
    const tops = await scorer.topTokens(rows, { count, ...cancelled });
    return (await sampledScores(tops, rows, report, scoreSampled)).map(({ logprob }, at) => ({
      logprob: logprob as Float32Array,
      wide: tops[at] as Candidates,
    }));
  }
  const wide = width.kind === "given" ? givenRows(rows, batch, width) : wholeRows(rows, width.size);
  const scored = await scorer.score(wide, { ...cancelled, report, statistics: ["logprob", "candidates"] });
  return scored.map(({ logprob, candidates }, at) => {
    const count = wide[at]?.candidates?.count ?? 0;
    const logprobs = candidates as Float32Array;
    if (width.kind === "top")
      return { logprob: logprob as Float32Array, wide: topCandidates(logprobs, count, width.count) };
    const ids = width.kind === "given" ? { ids: wide[at]?.candidates?.ids as Int32Array } : {};
    return { logprob: logprob as Float32Array, wide: { count, logprobs, ...ids } };
  });
}

/** The sampled tokens themselves; where the same pass gave them, there is no second one. */
async function sampledScores(
  tops: readonly TopTokens[],
  rows: readonly ScoreRow[],
  report: NonNullable<ScoreOptions["report"]>,
  scoreSampled: () => Promise<RowStatistics[]>,
): Promise<readonly RowStatistics[]> {
  const own = tops.flatMap(({ own }) => (own === undefined ? [] : [{ logprob: own }]));
  if (own.length < tops.length) return await scoreSampled();
  report({ tokens: rows.reduce((total, { ids }) => total + ids.length, 0), tokensSaved: 0 });
  return own;
}

/** Every row asks for the same ids at every token, so one array serves all of them. */
function wholeRows(rows: readonly ScoreRow[], size: number): ScoreRow[] {
  const longest = rows.reduce((most, { ids }) => Math.max(most, ids.length), 0);
  const every = new Int32Array(longest * size);
  for (let id = 0; id < size; id += 1) every[id] = id;
  for (let token = 1; token < longest; token += 1) every.copyWithin(token * size, 0, size);
  return rows.map((row) => ({
    ...row,
    candidates: { count: size, ids: every.subarray(0, row.ids.length * size), whole: true },
  }));
}

function givenRows(
  rows: readonly ScoreRow[],
  batch: readonly Job[],
  { count, of }: Extract<Width, { readonly kind: "given" }>,
): ScoreRow[] {
  return rows.map((row, at) => {
    const { trajectory, sequence } = batch[at] as Job;
    const ids = new Int32Array(row.ids.length * count);
    const known = new Map<number, Int32Array | undefined>();
    sequence.positions.forEach((position, one) => {
      const [step, token] = [sequence.steps[one] as number, sequence.tokens[one] as number];
      if (!known.has(step)) known.set(step, of(trajectory.id, step)?.ids);
      ids.set(known.get(step)?.subarray(token * count, (token + 1) * count) ?? [], position * count);
    });
    return { ...row, candidates: { count, ids } };
  });
}

function addOpinions(
  opinions: Map<string, Map<number, Mutable<Opinion>>>,
  { trajectory, sequence }: Job,
  { logprob, wide }: SequenceScores,
  width: Width | undefined,
): void {
  const steps = opinions.get(trajectory.id) ?? new Map<number, Mutable<Opinion>>();
  opinions.set(trajectory.id, steps);
  const { positions, tokens, teacher } = sequence;
  const lengths = responseLengths(trajectory);
  sequence.steps.forEach((step, at) => {
    const opinion = steps.get(step) ?? {};
    steps.set(step, opinion);
    const length = lengths.get(step) ?? 0;
    const values = (opinion[teacher] ??= new Float64Array(length));
    const [position, token] = [positions[at] as number, tokens[at] as number];
    values[token] = finite(logprob[position], trajectory, step, token);
    // The step's own teacher has the last word; it is scored after the trunk.
    if (wide === undefined || (teacher === "episode" && opinion.step !== undefined)) return;
    const { count } = wide;
    const own = wide.logprobs.subarray(position * count, (position + 1) * count);
    if (width?.kind === "vocabulary") {
      (opinion.distribution ??= new Float32Array(length * count)).set(own, token * count);
      return;
    }
    opinion.candidates ??= { count, ids: new Int32Array(length * count), logprobs: new Float32Array(length * count) };
    opinion.candidates.ids.set(wide.ids?.subarray(position * count, (position + 1) * count) ?? [], token * count);
    opinion.candidates.logprobs.set(own, token * count);
  });
}

function finite(value: number | undefined, { id }: Trajectory, step: number, token: number): number {
  if (value !== undefined && Number.isFinite(value)) return value;
  throw new EngineError(
    "bad-teacher",
    `The teacher's log-probability of token ${token} at step ${step} of "${id}" is ${value}; it must be finite. Look for damaged weights, or for a server that leaves tokens out.`,
    { details: { trajectory: id, step, token } },
  );
}

function responseLengths(trajectory: Trajectory): Map<number, number> {
  return new Map(trajectory.steps.map(({ index, span }) => [index, span === undefined ? 0 : span.end - span.start]));
}
