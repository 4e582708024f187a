/** Going on with a run: its next rollout takes up what the strategy of the last one remembers. */
import { randomUUID } from "node:crypto";
import { canonicalJson, type JsonObject } from "limbeck-base/base/json";
import { EngineError, errorCode, usageError } from "limbeck-base/base/errors";
import { resolveOptions } from "limbeck-base/base/options";
import { withoutUndefined } from "limbeck-base/base/fields";
import { formerOptions } from "limbeck-core/env/named-world";
import { getStrategy } from "limbeck-core/rollout/registry";
import type { Strategy } from "limbeck-core/walk/line/strategy";
import type { RunSummary, RunWriter, Store } from "limbeck-store/store/store";

/** What decides how episodes come about; every rollout of a run has the same. Seeds, tasks and budgets may differ. */
export interface RolloutConfig extends JsonObject {
  readonly env: string;
  readonly envOptions: JsonObject;
  readonly strategy: string;
  readonly options: JsonObject;
  readonly policy: JsonObject;
  /** How the policy is spoken to; null for scripts. */
  readonly speech: JsonObject | null;
  /** Rewards in the place of the world's own. */
  readonly reward?: JsonObject;
}

export interface RolloutOfRun {
  readonly writer: RunWriter;
  /** Whether the run was there before. */
  readonly isContinued: boolean;
  /** Stands before the names of this rollout's groups. */
  readonly prefix: string;
  /** Commits the episodes together with what the strategy remembers now. */
  finish(): Promise<void>;
}

/** What the run keeps from rollout to rollout. */
interface Remembered extends JsonObject {
  /** Rollouts so far. */
  readonly rollouts: number;
  /** A name for each that was stored, so that each can tell whether it counted. */
  readonly stored: string[];
  /** What the strategy gave to be saved. */
  readonly memory: JsonObject | null;
}

export interface RolloutRequest {
  readonly id: string | undefined;
  readonly resume: boolean;
  readonly config: RolloutConfig;
  readonly strategy: Strategy;
}

/** Opens the run for one more rollout, or makes it; the strategy knows then what it knew after the last one. */
export async function beginRollout(store: Store, request: RolloutRequest): Promise<RolloutOfRun> {
  const { id, resume, config, strategy } = request;
  const [found] = resume && id !== undefined ? await store.runs({ only: id }) : [];
  if (found === undefined) {
    const writer = await createRun(store, id, config).catch((error: unknown) => {
      if (resume && errorCode(error) === "run-exists") return undefined;
      throw error;
    });
    // Made by another since the look.
    if (writer === undefined) return await beginRollout(store, request);
    // Nothing has to be kept of a first rollout that nothing is remembered of.
    const end = (): Promise<void> =>
      strategy.save === undefined ? writer.commit() : finish(store, writer, strategy, undefined, 1);
    return { writer, isContinued: false, prefix: "", finish: end };
  }
  requireSame(found, config);
  // Before anything is read of what the last rollout left.
  const writer = await store.openRun(found.id);
  const [now = found] = await store.runs({ only: found.id });
  const last = (await store.stateOf(found.id)) as Remembered | undefined;
  if (last !== undefined && last.memory !== null) load(strategy, last.memory, found.id);
  // A run without a state has had one rollout, of a strategy that remembers nothing, unless that was killed at once.
  const number = (last?.rollouts ?? Math.min(1, now.trajectories)) + 1;
  const prefix = number === 1 ? "" : `${number}/`;
  return { writer, isContinued: true, prefix, finish: () => finish(store, writer, strategy, last, number) };
}

async function createRun(store: Store, id: string | undefined, config: RolloutConfig): Promise<RunWriter> {
  try {
    return await store.createRun(withoutUndefined({ kind: "rollout", config, id }));
  } catch (error) {
    if (!(error instanceof EngineError && error.code === "run-exists")) throw error;
    throw new EngineError(error.code, `${error.message} Or go on with it: --resume.`, { cause: error });
  }
}

async function finish(
  store: Store,
  writer: RunWriter,
  strategy: Strategy,
  last: Remembered | undefined,
  number: number,
): Promise<void> {
  const { run } = writer;
  const name = randomUUID();
  const stored = [...(last?.stored ?? []), name];
  writer.setState({ rollouts: number, stored, memory: strategy.save?.() ?? null } satisfies Remembered);
  // Two that take up the same memory would store its episodes twice: only the first of them counts.
  await writer.commit({ key: `after rollout ${last?.rollouts ?? 0}` });
  const now = (await store.stateOf(run)) as Remembered | undefined;
  if (now?.stored.includes(name) === true) return;
  throw new EngineError(
    "run-exists",
    `Another command has gone on with run "${run}" at the same time, so nothing of this one was stored. Roll out again, one after the other.`,
    { details: { run } },
  );
}

function load(strategy: Strategy, memory: JsonObject, run: string): void {
  try {
    strategy.load?.(memory);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(
      "bad-state",
      `What the strategy of run "${run}" remembers cannot be taken up: ${why} Begin a new run with another --run.`,
      { details: { run }, cause },
    );
  }
}

/** Memories of another strategy, of other options or of another model are not mixed with new episodes. */
function requireSame({ id, kind, config: stored }: RunSummary, config: RolloutConfig): void {
  if (kind !== "rollout") {
    throw usageError(
      `Run "${id}" is of the kind "${kind}", and only rollouts can be gone on with. Give another --run.`,
    );
  }
  const [before, now] = [comparable(stored as RolloutConfig), comparable(config)];
  const differing = [...new Set([...before.keys(), ...now.keys()])].filter((key) => before.get(key) !== now.get(key));
  if (differing.length === 0) return;
  const words = differing.map((key) => `${key} was ${before.get(key) ?? "none"} and is ${now.get(key) ?? "none"}`);
  throw new EngineError(
    "resume-differs",
    `Run "${id}" was begun with other settings: ${words.join("; ")}. Give the same ones to go on with it, or another --run.`,
    { details: { run: id, differing } },
  );
}

/** Each setting as text, by its name; options of a strategy with their defaults. */
function comparable(config: RolloutConfig): Map<string, string> {
  const { env, strategy, options, policy, speech, reward } = config;
  const envOptions = formerOptions(env, config.envOptions);
  const resolved = resolveOptions(getStrategy(strategy).options, options, strategy);
  const given = reward === undefined ? "the world's own" : canonicalJson(reward);
  const parts = { env, envOptions, strategy, options: resolved, policy, speech, reward: given };
  return new Map(
    Object.entries(parts).flatMap(([part, value]) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).map(([name, inner]) => [`${part}.${name}`, canonicalJson(inner)] as const)
        : [[part, canonicalJson(value)] as const],
    ),
  );
}
