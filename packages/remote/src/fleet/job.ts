/** One job of the fleet: a task, a seed, a strategy and a version of a policy, as plain JSON. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "limbeck-base/base/json";
import { EngineError } from "limbeck-base/base/errors";
import { TaskSchema } from "limbeck-base/trajectory/schema";
import { isSameLine, OWN_LINE, PROTOCOL, sayLine, type Line } from "./protocol.ts";

const plain = z.record(z.string(), z.json());
const name = z.string().min(1);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const option = z.union([z.number(), z.string(), z.boolean(), z.null()]);

/** Where files of a version can be had; the first that answers is taken. */
const SourceSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("folder"), path: name }),
  z.strictObject({ kind: z.literal("http"), url: z.url({ protocol: /^https?$/ }), token: name }),
]);

const PolicySchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("files"),
    /** Of the names and contents of all files. */
    hash,
    version: z.int().nonnegative(),
    /** Names of files and the hashes of their contents. A name is never a path. */
    files: z.record(z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/), hash),
    sources: z.array(SourceSchema),
  }),
  z.strictObject({
    kind: z.literal("sampler"),
    /** A Tinker server and a path that it gave to saved weights. */
    url: z.url({ protocol: /^https?$/ }),
    path: name,
    version: z.int().nonnegative(),
    /** The model's folder on the worker, for its tokenizer and configuration; "bundled:household" for a bundled model's. */
    tokenizer: name,
  }),
]);

const SpeechSchema = z.strictObject({
  prompts: name,
  history: z.int().nonnegative(),
  form: name,
  system: z.string().exactOptional(),
  temperature: z.number().nonnegative().exactOptional(),
  answerTokens: z.int().positive(),
  restrict: z.boolean(),
});

const AgentSchema = z.discriminatedUnion("kind", [
  /** A scripted agent of the world. */
  z.strictObject({ kind: z.literal("script"), name }),
  /** A chat model, by the environment variables of the worker. */
  z.strictObject({ kind: z.literal("chat"), speech: SpeechSchema }),
  z.strictObject({ kind: z.literal("model"), policy: PolicySchema, speech: SpeechSchema }),
  /** The policy of a training, with the sampling settings of its recipe. */
  z.strictObject({
    kind: z.literal("training"),
    policy: PolicySchema,
    settings: z.record(z.string(), option),
    skills: z.record(z.string(), z.string()),
  }),
]);

const JobSchema = z.strictObject({
  protocol: z.literal(PROTOCOL),
  /** The release that asked. */
  engine: name,
  key: name,
  run: name,
  env: z.strictObject({ id: name, options: plain }),
  task: TaskSchema,
  strategy: z.strictObject({ name, options: z.record(z.string(), option) }),
  seed: z.union([z.number(), z.string()]),
  prefix: z.string(),
  agent: AgentSchema,
  /** Episodes of a task that a pool of peers holds. */
  peers: z.int().nonnegative(),
  episode: z.strictObject({
    steps: z.number().exactOptional(),
    tokens: z.number().exactOptional(),
    seconds: z.number().exactOptional(),
  }),
  /** Attempts at a step of a failing world. */
  attempts: z.int().positive(),
  concurrency: z.int().positive(),
  /** Into the run of a store that the worker can reach, or back to the caller. */
  deliver: z.discriminatedUnion("to", [
    z.strictObject({ to: z.literal("store"), root: name }),
    z.strictObject({ to: z.literal("caller") }),
  ]),
});

export type RolloutJob = z.output<typeof JobSchema>;
export type AgentSpec = RolloutJob["agent"];
export type PolicyAddress = z.output<typeof PolicySchema>;
export type PolicyFiles = Extract<PolicyAddress, { readonly kind: "files" }>;
export type PolicySource = z.output<typeof SourceSchema>;

/** What a finished job says of itself; the episodes are elsewhere. */
const CountsSchema = z.object({
  trajectories: z.number(),
  episodes: z.number(),
  failed: z.number(),
  succeeded: z.number(),
  judged: z.number(),
  steps: z.number(),
  sampledTokens: z.number(),
});
export type JobCounts = z.output<typeof CountsSchema>;
export const JOB_COUNTS = Object.keys(CountsSchema.shape) as readonly (keyof JobCounts)[];
export const SummarySchema = CountsSchema.extend({ worker: z.string() });
export type JobSummary = z.output<typeof SummarySchema>;

export type UnkeyedJob = Omit<RolloutJob, "protocol" | "engine" | "key">;

/** The job with its key: equal work has equal keys, so that it is queued, and its result stored, once. */
export function keyedJob(job: UnkeyedJob): RolloutJob {
  const { run, env, task, strategy, seed, prefix, agent } = job;
  // Where a policy's files lie may change while a run waits; what they are may not.
  const who = "policy" in agent ? { ...agent, policy: identity(agent.policy) } : agent;
  const key = `j${keyOf({ run, env, task: task.id, strategy, seed, prefix, agent: who })}`;
  return { protocol: PROTOCOL, engine: OWN_LINE.engine, key, ...job };
}

/** Equal content has equal keys. */
export function keyOf(content: object): string {
  return createHash("sha256").update(canonicalJson(content)).digest("hex").slice(0, 40);
}

function identity(policy: PolicyAddress): object {
  return policy.kind === "files" ? { hash: policy.hash, version: policy.version } : policy;
}

/** What stands in Redis is not to be trusted. */
export function parseJob(value: unknown, line: Line = OWN_LINE): RolloutJob {
  return understood(JobSchema, value, line);
}

/** A job of whatever kind, of this release's line. */
export function understood<Job extends Line>(schema: z.ZodType<Job>, value: unknown, line: Line): Job {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw badJob(`is not one that this release understands: ${z.prettifyError(parsed.error)}.`);
  const job = parsed.data;
  if (isSameLine(job, line)) return job;
  throw badJob(`is of ${sayLine(job)}, and this worker speaks ${sayLine(line)}.`);
}

function badJob(what: string): EngineError {
  return new EngineError("bad-job", `The job ${what} Use the same release of Limbeck everywhere.`);
}
