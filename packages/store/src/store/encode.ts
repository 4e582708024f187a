/** Trajectories to rows and back: one row for the trajectory, one for each step with its own tokens, one for each reward. */
import { outcomeOf, type Outcome } from "limbeck-base/trajectory/outcome";
import type { Reward, Score, Step, Timing, TokenStream, Trajectory, Usage } from "limbeck-base/trajectory/trajectory";
import type { Row } from "./tables.ts";
import { EngineError } from "limbeck-base/base/errors";
import { concat } from "limbeck-base/base/concat";

export interface TrajectoryRows {
  readonly trajectories: readonly Row[];
  readonly steps: readonly Row[];
  readonly rewards: readonly Row[];
  /** A rough size in memory, for the writer's buffer. */
  readonly bytes: number;
}

export function trajectoryRows(run: string, trajectory: Trajectory): TrajectoryRows {
  const ends: number[] = trajectory.streams.map(() => 0);
  const touched = new Set<number>();
  const steps = trajectory.steps.map((step) => {
    const span = step.span;
    if (span === undefined) return stepRow(run, trajectory.id, step, {});
    const from = ends[span.stream] ?? 0;
    ends[span.stream] = span.end;
    touched.add(span.stream);
    return stepRow(run, trajectory.id, step, tokenCells(trajectory.streams[span.stream], from, step));
  });
  const loose = trajectory.streams.flatMap((stream, index) =>
    touched.has(index) && ends[index] === stream.ids.length ? [] : [looseEnd(stream, index, ends[index] ?? 0)],
  );
  const trajectories = [trajectoryRow(run, trajectory, loose)];
  const rewards = trajectory.rewards.map((reward) => rewardRow(run, trajectory.id, reward));
  return { trajectories, steps, rewards, bytes: size(trajectories) + size(steps) + size(rewards) };
}

export function rewardRow(run: string, trajectory: string, reward: Reward): Row {
  return {
    run,
    trajectory,
    name: reward.name,
    source: reward.source,
    value: reward.score.kind === "scored" ? reward.score.value : null,
    unscored: reward.score.kind === "unscored" ? reward.score.why : null,
    step: reward.step ?? null,
    token_start: reward.tokens?.start ?? null,
    token_end: reward.tokens?.end ?? null,
    comment: reward.comment ?? null,
  };
}

/** JSON text, or NULL for what is not there. */
export function jsonCell(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function trajectoryRow(run: string, trajectory: Trajectory, loose: readonly LooseEnd[]): Row {
  const { task, parent, policy } = trajectory;
  // Its own rewards may hold it, as feedback in an imported file does. Readers look only at what came later.
  const { success, reward } = outcomeOf(trajectory);
  return {
    run,
    id: trajectory.id,
    task_id: task.id,
    env: task.env,
    seed: task.seed,
    goal: task.goal,
    split: task.split,
    task_data: jsonCell(task.data),
    group_id: trajectory.group,
    parent: parent?.trajectory ?? null,
    parent_step: parent?.step ?? null,
    parent_token: parent?.token ?? null,
    step_count: trajectory.steps.length,
    reward_count: trajectory.rewards.length,
    stream_count: trajectory.streams.length,
    token_count: trajectory.streams.reduce((sum, stream) => sum + stream.ids.length, 0),
    ending: trajectory.ending,
    ...scoreCells(reward),
    success,
    policy: policy.name,
    policy_version: policy.version ?? null,
    model: policy.model ?? null,
    ...usageCells(trajectory.usage, trajectory.timing),
    closing: jsonCell(trajectory.closing),
    tools: jsonCell(trajectory.tools),
    failure: jsonCell(trajectory.failure),
    info: jsonCell(trajectory.info),
    loose: loose.length === 0 ? null : JSON.stringify(loose),
  };
}

function stepRow(run: string, trajectory: string, step: Step, tokens: Row): Row {
  return {
    run,
    trajectory,
    step: step.index,
    observation: step.observation,
    state_key: step.stateKey,
    prompt: step.prompt ?? null,
    base_prompt: step.basePrompt ?? null,
    action: step.action,
    valid: step.valid,
    ...scoreCells(step.reward),
    ...tokens,
    messages: jsonCell(step.messages),
    reply: jsonCell(step.reply),
    ...usageCells(step.usage, step.timing),
    info: jsonCell(step.info),
  };
}

function scoreCells(score: Score): Row {
  return score.kind === "scored" ? { reward: score.value, unscored: null } : { reward: null, unscored: score.why };
}

/** Plain columns for SQL; the JSON beside them is what is read back. */
function usageCells(usage: Usage | undefined, timing: Timing | undefined): Row {
  return {
    prompt_tokens: usage?.promptTokens ?? null,
    completion_tokens: usage?.completionTokens ?? null,
    cost_usd: usage?.costUsd ?? null,
    started_at: timing?.startedAt ?? null,
    duration_ms: timing?.durationMs ?? null,
    usage: jsonCell(usage),
    timing: jsonCell(timing),
  };
}

/** What the step added to its stream: from the end of the span before it to the end of its own. */
function tokenCells(stream: TokenStream | undefined, from: number, step: Step): Row {
  if (stream === undefined || step.span === undefined) return {};
  const { start, end } = step.span;
  const { allowed } = stream;
  return {
    stream: step.span.stream,
    span_start: start,
    span_end: end,
    response_start: start - from,
    token_ids: stream.ids.subarray(from, end),
    token_mask: stream.mask.subarray(from, end),
    token_logprobs: stream.logprobs?.subarray(from, end) ?? null,
    token_sampled_logprobs: stream.sampledLogprobs?.subarray(from, end) ?? null,
    token_versions: stream.versions?.subarray(from, end) ?? null,
    token_temperatures: stream.temperatures?.subarray(from, end) ?? null,
    token_weights: stream.weights?.subarray(from, end) ?? null,
    allowed_counts: allowed === undefined ? null : counts(allowed.offsets, from, end),
    allowed_ids: allowed === undefined ? null : allowed.ids.subarray(allowed.offsets[from], allowed.offsets[end]),
  };
}

function counts(offsets: Int32Array, from: number, end: number): Int32Array {
  const lengths = new Int32Array(end - from);
  for (let index = 0; index < lengths.length; index += 1) {
    lengths[index] = (offsets[from + index + 1] as number) - (offsets[from + index] as number);
  }
  return lengths;
}

/** Tokens after the last span of a stream, as base64 of little-endian arrays, so that no value changes in JSON. */
export interface LooseEnd {
  readonly stream: number;
  readonly [field: string]: string | number;
}

function looseEnd(stream: TokenStream, index: number, from: number): LooseEnd {
  const { allowed, ...arrays } = stream;
  const end = stream.ids.length;
  const cells = Object.entries(arrays).map(([field, values]) => [field, base64(values.subarray(from, end))]);
  if (allowed !== undefined) {
    cells.push(["allowedCounts", base64(counts(allowed.offsets, from, end))]);
    cells.push(["allowedIds", base64(allowed.ids.subarray(allowed.offsets[from], allowed.offsets[end]))]);
  }
  return { stream: index, ...(Object.fromEntries(cells) as Record<string, string>) };
}

function base64(values: Int32Array | Uint8Array | Float32Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");
}

function size(rows: readonly Row[]): number {
  let total = 0;
  for (const row of rows) total += rowBytes(row);
  return total;
}

/** A rough size in memory. */
export function rowBytes(row: Row): number {
  let total = 0;
  for (const name in row) {
    const cell = row[name];
    if (typeof cell === "string") total += cell.length;
    else if (ArrayBuffer.isView(cell)) total += cell.byteLength;
    else total += 8;
  }
  return total;
}

/** The rows in their order, in pieces of about so many bytes; a row is never cut. */
export function* piecesOf(rows: readonly Row[], bytes: number): Generator<readonly Row[], void, undefined> {
  let [start, held] = [0, 0];
  for (const [at, row] of rows.entries()) {
    const more = rowBytes(row);
    if (held > 0 && held + more > bytes) {
      yield rows.slice(start, at);
      [start, held] = [at, 0];
    }
    held += more;
  }
  if (start < rows.length) yield rows.slice(start);
}

// Rows back to trajectories.

/** A row of a trajectory with the outcome that rewards which were added later give it. */
export function withLaterOutcome(row: Row, later: readonly Row[]): Row {
  if (later.length === 0) return row;
  const { success, reward } = outcomeOf({ ...storedOutcome(row), rewards: later.map(decodeReward) });
  return { ...row, ...scoreCells(reward), success };
}

function storedOutcome(row: Row): Outcome {
  return { reward: score(row, "reward"), success: row["success"] as boolean | null };
}

/**
 * `steps` and `rewards` are those of this trajectory, in order; `later` are rewards that were added to it afterwards, and
 * may give another outcome than it was stored with.
 */
export function decodeTrajectory(
  row: Row,
  steps: readonly Row[],
  rewards: readonly Row[],
  later: readonly Row[],
): Trajectory {
  const added = later.map(decodeReward);
  return {
    id: text(row, "id"),
    task: {
      id: text(row, "task_id"),
      env: text(row, "env"),
      seed: row["seed"] as number,
      goal: text(row, "goal"),
      split: text(row, "split"),
      ...optionalJson(row, "task_data", "data"),
    },
    group: text(row, "group_id"),
    ...(row["parent"] === null
      ? {}
      : {
          parent: {
            trajectory: text(row, "parent"),
            step: row["parent_step"] as number,
            ...optional(row, "parent_token", "token"),
          },
        }),
    steps: steps.map(decodeStep),
    streams: decodeStreams(row, steps),
    ending: text(row, "ending") as Trajectory["ending"],
    ...outcomeOf({ ...storedOutcome(row), rewards: added }),
    rewards: [...rewards.map(decodeReward), ...added],
    policy: {
      name: text(row, "policy"),
      ...optional(row, "policy_version", "version"),
      ...optional(row, "model", "model"),
    },
    ...jsonColumns(row, "usage", "timing", "closing", "tools", "failure", "info"),
  };
}

function decodeReward(row: Row): Reward {
  return {
    name: text(row, "name"),
    source: text(row, "source"),
    score: score(row, "value"),
    ...optional(row, "step", "step"),
    ...(row["token_start"] === null
      ? {}
      : { tokens: { start: row["token_start"] as number, end: row["token_end"] as number } }),
    ...optional(row, "comment", "comment"),
  };
}

function decodeStep(row: Row): Step {
  return {
    index: row["step"] as number,
    observation: text(row, "observation"),
    stateKey: text(row, "state_key"),
    ...optional(row, "prompt", "prompt"),
    ...optional(row, "base_prompt", "basePrompt"),
    action: text(row, "action"),
    valid: row["valid"] as boolean,
    reward: score(row, "reward"),
    ...(row["stream"] === null
      ? {}
      : {
          span: {
            stream: row["stream"] as number,
            start: row["span_start"] as number,
            end: row["span_end"] as number,
          },
        }),
    ...jsonColumns(row, "messages", "reply", "usage", "timing", "info"),
  };
}

/** One stretch of a stream: what a step added to it, or its loose end. */
type Piece = Omit<TokenStream, "allowed"> & { readonly allowedCounts?: Int32Array; readonly allowedIds?: Int32Array };

function decodeStreams(row: Row, steps: readonly Row[]): TokenStream[] {
  const pieces: Piece[][] = Array.from({ length: row["stream_count"] as number }, () => []);
  for (const step of steps) {
    if (step["stream"] !== null) pieces[step["stream"] as number]?.push(stepPiece(step));
  }
  const loose = row["loose"] === null ? [] : (parse(row, "loose") as LooseEnd[]);
  for (const end of loose) pieces[end.stream]?.push(loosePiece(end));
  return pieces.map(joinPieces);
}

function stepPiece(row: Row): Piece {
  return {
    ids: row["token_ids"] as Int32Array,
    mask: row["token_mask"] as Uint8Array,
    ...optional(row, "token_logprobs", "logprobs"),
    ...optional(row, "token_sampled_logprobs", "sampledLogprobs"),
    ...optional(row, "token_versions", "versions"),
    ...optional(row, "token_temperatures", "temperatures"),
    ...optional(row, "token_weights", "weights"),
    ...optional(row, "allowed_counts", "allowedCounts"),
    ...optional(row, "allowed_ids", "allowedIds"),
  };
}

function loosePiece(end: LooseEnd): Piece {
  const arrays: Record<string, Int32Array | Uint8Array | Float32Array> = {};
  for (const [field, value] of Object.entries(end)) {
    if (typeof value !== "string") continue;
    const bytes = Uint8Array.from(Buffer.from(value, "base64"));
    if (field === "mask") arrays[field] = bytes;
    else arrays[field] = INTEGERS.has(field) ? new Int32Array(bytes.buffer) : new Float32Array(bytes.buffer);
  }
  return arrays as unknown as Piece;
}

const INTEGERS: ReadonlySet<string> = new Set(["ids", "versions", "allowedCounts", "allowedIds"]);

function joinPieces(pieces: readonly Piece[]): TokenStream {
  const first = pieces[0];
  if (first === undefined) throw new EngineError("segment-damaged", "A stream has neither steps nor a loose end.");
  const whole = Object.keys(first).map((field) => [field, join(pieces.map((piece) => piece[field as "ids"]))]);
  const { allowedCounts, allowedIds, ...stream } = Object.fromEntries(whole) as Piece;
  if (allowedCounts === undefined || allowedIds === undefined) return stream;
  const offsets = new Int32Array(allowedCounts.length + 1);
  allowedCounts.forEach((count, index) => (offsets[index + 1] = (offsets[index] as number) + count));
  return { ...stream, allowed: { offsets, ids: allowedIds } };
}

function join<T extends Int32Array | Uint8Array | Float32Array>(arrays: readonly T[]): T {
  const first = arrays[0] as T;
  return arrays.length === 1 ? first : concat(first.constructor as new (length: number) => T, arrays);
}

function score(row: Row, column: string): Score {
  const value = row[column];
  return typeof value === "number" ? { kind: "scored", value } : { kind: "unscored", why: text(row, "unscored") };
}

function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new EngineError("segment-damaged", `Column "${column}" of a stored row holds no text; restore the segment.`);
}

function optional(row: Row, column: string, field: string): Record<string, never> {
  const value = row[column] ?? null;
  // The type is the caller's business: each field has the type of its column in `tables.ts`.
  return (value === null ? {} : { [field]: value }) as Record<string, never>;
}

/** Fields that have the names of their columns. */
function jsonColumns(row: Row, ...names: readonly string[]): Record<string, never> {
  const there = names.filter((name) => (row[name] ?? null) !== null);
  return Object.fromEntries(there.map((name) => [name, parse(row, name) as never]));
}

function optionalJson(row: Row, column: string, field: string): Record<string, never> {
  return ((row[column] ?? null) === null ? {} : { [field]: parse(row, column) }) as Record<string, never>;
}

function parse(row: Row, column: string): unknown {
  try {
    return JSON.parse(text(row, column));
  } catch (cause) {
    throw new EngineError("segment-damaged", `Column "${column}" of a stored row holds no JSON.`, { cause });
  }
}
