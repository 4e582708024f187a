/** Answers in their whole context, as exact tokens: what pairs and lessons are learned from. */
import { EngineError } from "limbeck-base/base/errors";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";
import type { Forest } from "limbeck-base/trajectory/forest";
import type { Step, TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";

export interface PlacedStream {
  /** The context and the responses so far, from the beginning. */
  readonly ids: Int32Array;
  /** Where the answers stand, rising. */
  readonly spans: readonly { readonly step: number; readonly start: number; readonly end: number }[];
  /** Under the policy that sampled them, aligned with `ids`; missing where another did, or in another context. */
  readonly logprobs: Float32Array | undefined;
}

/** The trajectory that a pair or a lesson names. */
export function trajectoryNamed(forest: Forest, id: string, by: string): Trajectory {
  const found = forest.get(id);
  if (found !== undefined) return found;
  throw new EngineError("unknown-trajectory", `No trajectory "${id}", which ${by} names. Give the whole forest.`);
}

/** The streams that hold these steps, each once, in order; steps without tokens are left out. */
export function placedAnswers(forest: Forest, trajectory: Trajectory, steps: readonly number[]): PlacedStream[] {
  const asked = new Set(steps);
  const whole = wholeStreams(forest, trajectory);
  return whole.flatMap((stream, at) => {
    const own = trajectory.steps.filter(({ span }) => span?.stream === at);
    const chosen = own.filter(({ index }) => asked.has(index));
    if (chosen.length === 0) return [];
    const offset = stream.ids.length - (trajectory.streams[at]?.ids.length ?? 0);
    const spans = chosen.map(({ index, span }) => ({
      step: index,
      start: offset + (span?.start ?? 0),
      end: offset + (span?.end ?? 0),
    }));
    const said = spans.every(({ start, end }) => !stream.mask.subarray(start, end).includes(0));
    const placed: PlacedStream = { ids: stream.ids, spans, logprobs: said ? stream.logprobs : undefined };
    return [isGuided(trajectory) && at === 0 ? withoutGuidance(forest, trajectory, placed) : placed];
  });
}

/** What was read before the answer of this step; undefined where there are no tokens. */
export function contextOf(forest: Forest, trajectory: Trajectory, step: number): Int32Array | undefined {
  const [placed] = placedAnswers(forest, trajectory, [step]);
  return placed?.ids.subarray(0, placed.spans[0]?.start);
}

function isGuided({ info, parent }: Trajectory): boolean {
  return parent !== undefined && typeof info?.["guidance"] === "string";
}

/**
 * A retry is learned as if without advice: in the place of the message with the advice stands the one that
 * the parent read at the same step, exact to the token.
 */
function withoutGuidance(forest: Forest, trajectory: Trajectory, placed: PlacedStream): PlacedStream {
  const { parent } = trajectory;
  const from = parent === undefined ? undefined : forest.get(parent.trajectory);
  const first = trajectory.steps[0]?.span;
  if (parent === undefined || from === undefined || first === undefined) return placed;
  const plain = contextOf(forest, from, parent.step);
  if (plain === undefined) return placed;
  const offset = placed.ids.length - (trajectory.streams[0] as TokenStream).ids.length;
  const start = offset + first.start;
  const ids = new Int32Array(plain.length + placed.ids.length - start);
  ids.set(plain);
  ids.set(placed.ids.subarray(start), plain.length);
  const moved = plain.length - start;
  return {
    ids,
    spans: placed.spans.map(({ step, start: from_, end }) => ({ step, start: from_ + moved, end: end + moved })),
    logprobs: undefined,
  };
}

/** Indices of a trajectory's own steps from this one on, without an answer that was never carried out. */
export function stepsFrom({ steps }: Trajectory, first = 0): number[] {
  return steps.filter((step) => step.index >= first && !isUnfinished(step)).map(({ index }) => index);
}

function isUnfinished({ info }: Step): boolean {
  return info?.["unfinished"] === true;
}
