/** The messages of OpenEnv's socket as schemas, ours included; what does not fit is no message. */
import { z } from "zod";
import type { JsonObject } from "limbeck-base/base/json";

/** A record made from parsed JSON; keys such as "__proto__" stay plain data. */
const JsonRecord = z.record(z.string(), z.json());

/** Python allows true and false as rewards. */
const Reward = z.union([z.number(), z.boolean()]).nullish();

const ObservationData = z.object({ observation: JsonRecord, reward: Reward, done: z.boolean().default(false) });
export type ObservationData = z.infer<typeof ObservationData>;

const ErrorBody = z.looseObject({ message: z.string().default(""), code: z.string().default("") });

/** What a server sends. `snapshot`, `released` and `irreversible` are ours. */
export const ServerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("observation"), data: ObservationData }),
  z.object({ type: z.literal("state"), data: JsonRecord }),
  z.object({ type: z.literal("mcp"), data: JsonRecord }),
  z.object({ type: z.literal("error"), data: ErrorBody }),
  z.object({ type: z.literal("snapshot"), data: z.object({ snapshot: z.string().min(1).max(200) }) }),
  z.object({ type: z.literal("released"), data: z.object({ snapshot: z.string() }) }),
  z.object({ type: z.literal("irreversible"), data: z.object({ irreversible: z.boolean() }) }),
]);
export type ServerMessage = z.infer<typeof ServerMessage>;

/** What a client sends. The fields of `data` depend on the type. */
export interface ClientMessage {
  readonly type: "reset" | "step" | "state" | "close" | "mcp" | "snapshot" | "restore" | "release" | "irreversible";
  readonly data?: JsonObject;
}

export type WireErrorCode =
  | "INVALID_JSON"
  | "UNKNOWN_TYPE"
  | "VALIDATION_ERROR"
  | "EXECUTION_ERROR"
  | "CAPACITY_REACHED"
  | "FACTORY_ERROR"
  | "SESSION_ERROR";

/**
 * What `/metadata` of our servers says beyond the protocol, under the key `limbeck`. A client that finds it can list
 * tasks, fork, and read endings, keys and admissible actions from the observation.
 */
export const Extension = z.object({
  version: z.literal(1),
  snapshot: z.boolean(),
  maxSteps: z.number().int().min(1),
  /** Tasks in each split; null for one without end. */
  splits: z.record(z.string(), z.number().int().min(0).nullable()),
  /** Who can show how a task is done, the expert first; servers of earlier versions name none. */
  demonstrators: z
    .array(z.object({ id: z.string().min(1).max(200), summary: z.string() }))
    .max(100)
    .default([]),
});
export type Extension = z.infer<typeof Extension>;

export const TaskList = z.object({
  tasks: z.array(z.object({ id: z.string(), seed: z.number(), goal: z.string(), index: z.number().int().min(0) })),
});

/** The observation of our servers. Metadata would be dropped on the wire, so everything is a field. */
export const OwnObservation = z.object({
  text: z.string(),
  valid: z.boolean(),
  ending: z.enum(["terminated", "truncated"]).nullable(),
  success: z.boolean().nullable(),
  /** Null where actions are free text. */
  admissible: z.array(z.string()).nullable(),
  state_key: z.string(),
  /** Why the step has no reward, where it has none. */
  unscored: z.string().nullable(),
  tools: z.array(JsonRecord).nullable(),
  info: JsonRecord.nullable(),
  /** Whether there are actions that nothing takes back; the message of that name asks about one. */
  irreversible: z.boolean().default(false),
});
export interface OwnObservation extends Omit<z.infer<typeof OwnObservation>, "tools" | "info"> {
  readonly tools: JsonObject[] | null;
  readonly info: JsonObject | null;
}

export const ResetData = z.looseObject({
  seed: z.number().int().min(0).nullish(),
  episode_id: z.string().max(255).nullish(),
  split: z.string().max(200).nullish(),
  index: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullish(),
  /** The id the client expects at that place, so that a server started with other options is noticed. */
  task: z.string().max(1_000).nullish(),
});
export type ResetData = z.infer<typeof ResetData>;

export const StepData = z.strictObject({ text: z.string(), metadata: JsonRecord.optional() });

export const SnapshotData = z.strictObject({ snapshot: z.string().max(200) });

/** What a demonstrator is asked: what it would do in a task after this past. */
export const AdviceData = z.strictObject({
  demonstrator: z.string().max(200),
  seed: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  split: z.string().max(200),
  index: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  task: z.string().max(1_000),
  past: z
    .array(
      z.strictObject({
        action: z.string().nullable(),
        observation: z.string(),
        admissible: z.array(z.string()).nullable(),
      }),
    )
    .min(1),
});
export type AdviceData = z.infer<typeof AdviceData>;

/** Null where it does not know. */
export const Advice = z.object({ action: z.string().nullable() });
