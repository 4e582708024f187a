/** Rows back to trajectories; the inverse of `encode.ts`. */
import { EngineError } from "../base/errors.ts";
import { joined } from "../base/joined.ts";
import {
  outcomeOf,
  type Reward,
  type Score,
  type Step,
  type TokenStream,
  type Trajectory,
} from "../trajectory/index.ts";
import type { LooseEnd } from "./encode.ts";
import type { Row } from "./tables.ts";

/**
 * `steps` and `rewards` are those of this trajectory, in order; `later` are rewards that were added to it afterwards, and
 * may tell another outcome than it was stored with.
 */
export function decodeTrajectory(
  row: Row,
  steps: readonly Row[],
  rewards: readonly Row[],
  later: readonly Row[],
): Trajectory {
  const added = later.map(decodeReward);
  const stored = { reward: score(row, "reward"), success: row["success"] as boolean | null };
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
    ...outcomeOf({ ...stored, rewards: added }),
    rewards: [...rewards.map(decodeReward), ...added],
    policy: {
      name: text(row, "policy"),
      ...optional(row, "policy_version", "version"),
      ...optional(row, "model", "model"),
    },
    ...optionalJson(row, "usage", "usage"),
    ...optionalJson(row, "timing", "timing"),
    ...optionalJson(row, "closing", "closing"),
    ...optionalJson(row, "tools", "tools"),
    ...optionalJson(row, "failure", "failure"),
    ...optionalJson(row, "info", "info"),
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
    ...optionalJson(row, "messages", "messages"),
    ...optionalJson(row, "reply", "reply"),
    ...optionalJson(row, "usage", "usage"),
    ...optionalJson(row, "timing", "timing"),
    ...optionalJson(row, "info", "info"),
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
  return arrays.length === 1 ? first : joined(first.constructor as new (length: number) => T, arrays);
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
