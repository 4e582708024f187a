/**
 * Exact tokens between ATIF, which repeats the whole prompt at each step, and streams, which hold each token once.
 * A step whose prompt begins with everything its stream holds so far goes on in that stream; any other begins a new one.
 */
import type { Step, TrajectoryJson } from "../../trajectory/index.ts";
import type { AtifMetrics } from "./atif-schema.ts";

type StreamJson = TrajectoryJson["streams"][number];
type SpanJson = NonNullable<Step["span"]>;

/**
 * Prompts of one document together: about 6 MB of text. Repeating every prompt is quadratic in the length of a
 * trajectory, so longer ones leave them out; the streams under `extra.limbeck` have them.
 */
const MAX_PROMPT_IDS = 1_000_000;

export function createStreams(): {
  readonly streams: StreamJson[];
  readonly add: (metrics: AtifMetrics) => SpanJson | undefined;
} {
  const streams: StreamJson[] = [];
  const add = (metrics: AtifMetrics): SpanJson | undefined => {
    const { prompt_token_ids: prompt, completion_token_ids: completion, logprobs } = metrics;
    if (!completion) return undefined;
    let stream = streams.at(-1);
    if (stream === undefined || !prompt || !startsWith(prompt, stream.ids)) {
      stream = { ids: [], mask: [] };
      streams.push(stream);
    }
    extend(stream, (prompt ?? []).slice(stream.ids.length), 0);
    const start = stream.ids.length;
    extend(stream, completion, 1);
    if (logprobs) {
      stream.logprobs ??= Array.from({ length: start }, () => 0);
      for (const value of logprobs) stream.logprobs.push(value);
    } else if (stream.logprobs !== undefined) pad(stream);
    return { stream: streams.length - 1, start, end: stream.ids.length };
  };
  return { streams, add };
}

function extend(stream: StreamJson, ids: readonly number[], mask: 0 | 1): void {
  for (const id of ids) {
    stream.ids.push(id);
    stream.mask.push(mask);
  }
  if (mask === 0 && stream.logprobs !== undefined) pad(stream);
}

/** Statistics of tokens nobody gave are 0. */
function pad(stream: StreamJson): void {
  while (stream.logprobs !== undefined && stream.logprobs.length < stream.ids.length) stream.logprobs.push(0);
}

function startsWith(ids: readonly number[], prefix: readonly number[]): boolean {
  return ids.length >= prefix.length && prefix.every((id, index) => id === ids[index]);
}

type TokenMetrics = Pick<AtifMetrics, "prompt_token_ids" | "completion_token_ids" | "logprobs">;

/** The token fields of each step that has a span in a stream that is there. */
export function tokenMetrics(trajectory: TrajectoryJson): TokenMetrics[] {
  const spans = trajectory.steps.map((step) => {
    const stream = step.span === undefined ? undefined : trajectory.streams[step.span.stream];
    return step.span === undefined || stream === undefined ? undefined : { ...step.span, stream };
  });
  const withPrompts = spans.reduce((sum, span) => sum + (span?.start ?? 0), 0) <= MAX_PROMPT_IDS;
  return spans.map((span) => {
    if (span === undefined) return {};
    const { stream, start, end } = span;
    return {
      ...(withPrompts ? { prompt_token_ids: stream.ids.slice(0, start) } : {}),
      completion_token_ids: stream.ids.slice(start, end),
      ...(stream.logprobs === undefined ? {} : { logprobs: stream.logprobs.slice(start, end) }),
    };
  });
}
