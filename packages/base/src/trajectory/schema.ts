/**
 * The border: zod schemas for trajectories in their JSON form, and the two conversions.
 *
 * The JSON form is the type of `trajectory.ts` with token arrays as number arrays. Numbers are finite; a float32
 * survives JSON because the shortest text of its double names it exactly. A negative zero becomes zero.
 */
import { z } from "zod";
import { EngineError } from "../base/errors.ts";
import type { TokenStream, Trajectory } from "./trajectory.ts";

const json = z.json();
const jsonObject = z.record(z.string(), json);
const text = z.string();
const name = z.string().min(1);
const count = z.number().int().nonnegative();
const finite = z.number();
const int32 = z.number().int().min(-2_147_483_648).max(2_147_483_647);

export const ScoreSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("scored"), value: finite }),
  z.strictObject({ kind: z.literal("unscored"), why: text }),
]);

export const TaskSchema = z.strictObject({
  id: name,
  env: name,
  seed: z.number().int(),
  goal: text,
  split: name,
  data: jsonObject.exactOptional(),
});

export const RewardSchema = z.strictObject({
  name,
  source: name,
  score: ScoreSchema,
  step: count.exactOptional(),
  tokens: z.strictObject({ start: count, end: count }).exactOptional(),
  comment: text.exactOptional(),
});

const UsageSchema = z.strictObject({
  promptTokens: count.exactOptional(),
  completionTokens: count.exactOptional(),
  cachedTokens: count.exactOptional(),
  modelCalls: count.exactOptional(),
  costUsd: finite.exactOptional(),
});

const TimingSchema = z.strictObject({
  startedAt: z.iso.datetime({ offset: true }).exactOptional(),
  durationMs: finite.exactOptional(),
  policyMs: finite.exactOptional(),
  envMs: finite.exactOptional(),
});

export const MessageSchema = z.strictObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.union([text, z.array(jsonObject)]),
  name: text.exactOptional(),
  reasoning: text.exactOptional(),
  toolCalls: z.array(z.strictObject({ id: text, name: text, arguments: z.union([jsonObject, text]) })).exactOptional(),
  toolCallId: text.exactOptional(),
  extra: jsonObject.exactOptional(),
});

export const StepSchema = z.strictObject({
  index: count,
  observation: text,
  stateKey: text,
  prompt: text.exactOptional(),
  basePrompt: text.exactOptional(),
  action: text,
  valid: z.boolean(),
  reward: ScoreSchema,
  span: z.strictObject({ stream: count, start: count, end: count }).exactOptional(),
  messages: z.array(MessageSchema).exactOptional(),
  reply: MessageSchema.exactOptional(),
  usage: UsageSchema.exactOptional(),
  timing: TimingSchema.exactOptional(),
  info: jsonObject.exactOptional(),
});

const StreamSchema = z.strictObject({
  ids: z.array(int32),
  mask: z.array(z.union([z.literal(0), z.literal(1)])),
  logprobs: z.array(finite).exactOptional(),
  sampledLogprobs: z.array(finite).exactOptional(),
  versions: z.array(int32).exactOptional(),
  temperatures: z.array(finite).exactOptional(),
  weights: z.array(finite).exactOptional(),
  allowed: z.strictObject({ offsets: z.array(int32), ids: z.array(int32) }).exactOptional(),
});

const FailureSchema: z.ZodType<{ code: string; message: string }> = z.lazy(() =>
  z.strictObject({
    code: text,
    message: text,
    details: jsonObject.exactOptional(),
    cause: FailureSchema.exactOptional(),
  }),
);

export const TrajectorySchema = z.strictObject({
  id: name,
  task: TaskSchema,
  group: name,
  parent: z.strictObject({ trajectory: name, step: count, token: count.exactOptional() }).exactOptional(),
  steps: z.array(StepSchema),
  streams: z.array(StreamSchema),
  ending: z.enum(["terminated", "truncated", "failed"]),
  reward: ScoreSchema,
  success: z.boolean().nullable(),
  rewards: z.array(RewardSchema),
  policy: z.strictObject({ name, version: int32.exactOptional(), model: text.exactOptional() }),
  usage: UsageSchema.exactOptional(),
  timing: TimingSchema.exactOptional(),
  closing: z.strictObject({ observation: text, messages: z.array(MessageSchema).exactOptional() }).exactOptional(),
  tools: z.array(jsonObject).exactOptional(),
  failure: FailureSchema.exactOptional(),
  info: jsonObject.exactOptional(),
});

export type TrajectoryJson = z.output<typeof TrajectorySchema>;

/**
 * The JSON form; typed arrays become plain arrays.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * console.log(trajectories.map((one) => trajectoryToJson(one).reward)); // [ { kind: "scored", value: 1 } ]
 */
export function trajectoryToJson(trajectory: Trajectory): TrajectoryJson {
  return { ...trajectory, streams: trajectory.streams.map(streamToJson) } as TrajectoryJson;
}

/**
 * Parses untrusted JSON. The error names every offending field. `where` says which file and line it came from.
 *
 * @example
 * import { trajectoryToJson } from "limbeck/reward";
 *
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * const text = JSON.stringify(trajectories.map(trajectoryToJson));
 * console.log((JSON.parse(text) as unknown[]).map((one) => trajectoryFromJson(one).success)); // [ true ]
 */
export function trajectoryFromJson(value: unknown, where = "trajectory"): Trajectory {
  const parsed = TrajectorySchema.safeParse(value);
  if (!parsed.success) {
    throw new EngineError("bad-trajectory", `${where} is not a trajectory: ${z.prettifyError(parsed.error)}`, {
      details: { where, issues: parsed.error.issues },
    });
  }
  return { ...parsed.data, streams: parsed.data.streams.map(streamFromJson) };
}

type StreamJson = z.output<typeof StreamSchema>;

function streamToJson(stream: TokenStream): StreamJson {
  const { allowed, ...arrays } = stream;
  return {
    ...Object.fromEntries(Object.entries(arrays).map(([field, values]) => [field, [...values]])),
    ...(allowed === undefined ? {} : { allowed: { offsets: [...allowed.offsets], ids: [...allowed.ids] } }),
  } as StreamJson;
}

function streamFromJson(stream: StreamJson): TokenStream {
  const { logprobs, sampledLogprobs, versions, temperatures, weights, allowed } = stream;
  return {
    ids: Int32Array.from(stream.ids),
    mask: Uint8Array.from(stream.mask),
    ...(logprobs === undefined ? {} : { logprobs: Float32Array.from(logprobs) }),
    ...(sampledLogprobs === undefined ? {} : { sampledLogprobs: Float32Array.from(sampledLogprobs) }),
    ...(versions === undefined ? {} : { versions: Int32Array.from(versions) }),
    ...(temperatures === undefined ? {} : { temperatures: Float32Array.from(temperatures) }),
    ...(weights === undefined ? {} : { weights: Float32Array.from(weights) }),
    ...(allowed === undefined
      ? {}
      : { allowed: { offsets: Int32Array.from(allowed.offsets), ids: Int32Array.from(allowed.ids) } }),
  };
}
