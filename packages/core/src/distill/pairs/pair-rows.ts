/** Pairs as rows to learn from: only the compared answers are trained, everything before them is context. */
import { EngineError } from "limbeck-base/base/errors";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { createForest, type Forest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { trajectoryNamed, placedAnswers, type PlacedStream } from "./answers.ts";
import type { Pair, Side } from "./pair.ts";

export interface PairRowOptions {
  /**
   * "later": the trainer scores the reference itself. "logged": the likelihoods at the time of acting take its place
   * (Agent Q), which saves a pass and needs rows with log-probabilities.
   */
  readonly reference?: "later" | "logged";
  /** Longer rows are left out, with their pair. */
  readonly maxTokens?: number;
  /** Of the trajectories, for callers who have it. Default: it is built. */
  readonly forest?: Forest;
}

export interface PairRows {
  readonly rows: readonly TrainRow[];
  /** Pairs that gave no rows: without tokens, or too long. */
  readonly lost: number;
}

/**
 * Rows of both sides of every pair; the chosen side has rank 1, the rejected one rank 0.
 *
 * @example
 * import { findPairs } from "limbeck/update";
 * import { createScriptedPolicy } from "limbeck/policy";
 *
 * let said = 0;
 * const policy = createScriptedPolicy({ script: () => `<answer>${said++ === 0 ? "10 + 9 + 4" : "10 + 9 - 4"}</answer>` });
 * const { trajectories } = await rollout({ env: "countdown", policy, tasks: 1, group: 2 });
 * const { rows } = buildPairRows(findPairs("episodes", trajectories), trajectories);
 * console.log(rows.map(({ rank }) => rank)); // [ 1, 0 ]
 */
export function buildPairRows(
  pairs: readonly Pair[],
  trajectories: readonly Trajectory[],
  {
    reference = "later",
    maxTokens = Number.POSITIVE_INFINITY,
    forest = createForest(trajectories),
  }: PairRowOptions = {},
): PairRows {
  let lost = 0;
  const rows = pairs.flatMap(({ id, chosen, rejected }) => {
    const sides = [
      { streams: streamsOf(forest, chosen), side: chosen, rank: 1 },
      { streams: streamsOf(forest, rejected), side: rejected, rank: 0 },
    ];
    const fits = sides.every(
      ({ streams }) => streams.length > 0 && streams.every(({ ids }) => ids.length <= maxTokens),
    );
    if (!fits) {
      lost += 1;
      return [];
    }
    return sides.flatMap(({ streams, side, rank }) =>
      streams.map((stream): TrainRow => ({
        ...answerRow(stream),
        trajectory: side.trajectory,
        pair: id,
        rank,
        ...(reference === "logged" ? { referenceLogprobs: loggedOf(stream, side) } : {}),
      })),
    );
  });
  return { rows, lost };
}

/** The same answers as rows to imitate; sides that are too long are left out. */
export function sideRows(
  sides: readonly Side[],
  trajectories: readonly Trajectory[],
  maxTokens: number,
  forest = createForest(trajectories),
): TrainRow[] {
  return sides.flatMap((side) =>
    streamsOf(forest, side)
      .filter(({ ids }) => ids.length <= maxTokens)
      .map((stream) => ({ ...answerRow(stream), trajectory: side.trajectory })),
  );
}

function streamsOf(forest: Forest, { trajectory, steps }: Side): PlacedStream[] {
  return placedAnswers(forest, trajectoryNamed(forest, trajectory, "a pair"), steps);
}

/** A row that trains the answers of a stream and nothing else. */
function answerRow({ ids, spans, logprobs }: PlacedStream): TrainRow {
  const end = spans.at(-1)?.end ?? 0;
  const mask = new Uint8Array(end);
  for (const span of spans) mask.fill(1, span.start, span.end);
  return {
    ids: ids.slice(0, end),
    mask,
    ...(logprobs === undefined ? {} : { oldLogprobs: Float64Array.from(logprobs.subarray(0, end)) }),
  };
}

function loggedOf({ logprobs, spans }: PlacedStream, { trajectory }: Side): Float64Array {
  if (logprobs !== undefined) return Float64Array.from(logprobs.subarray(0, spans.at(-1)?.end));
  throw new EngineError(
    "no-logprobs",
    `Trajectory "${trajectory}" has no log-probabilities of its own for these answers, so they cannot take the place of a reference. Let the reference be scored: reference "later".`,
  );
}
