/** What a checkpoint remembers beside the weights, as plain JSON, and how it is read back. */
import { canonicalJson, type JsonObject } from "limbeck-base/base/json";
import { EngineError } from "limbeck-base/base/errors";
import { loadedParts, splitName } from "limbeck-base/base/parts/part";
import type { GuardState } from "limbeck-core/distill/guard";
import type { Evaluation } from "limbeck-core/eval/evaluate";
import type { UpdateSummary } from "limbeck-core/reward/screens/history";
import type { Spent } from "./events.ts";
import type { FamilySkills } from "limbeck-core/update/agent";
import type { BrakeState } from "./brake.ts";
import { EARLIER_VALUES } from "limbeck-core/update/settings";
import type { DoctorState } from "./run-doctor.ts";

export interface TrainProgress {
  readonly update: number;
  readonly spent: Spent;
  /** Why the guard stopped the teacher, when it has. */
  readonly silenced: string | null;
  readonly guard: GuardState;
  /** What the rollout strategy remembers. */
  readonly strategy: JsonObject | null;
  /** What the credit method keeps from update to update. */
  readonly credit: JsonObject | null;
  /** What the recipe keeps from update to update; checkpoints of earlier versions have none. */
  readonly recipe?: JsonObject | null;
  /** Skills that stay in the prompts, by family of tasks. */
  readonly skills: FamilySkills;
  /** Reward and success of every update, for the screens, and the screens that gave a finding. */
  readonly history: readonly UpdateSummary[];
  readonly screensTold: readonly string[];
  /** What the run doctor remembers; checkpoints of earlier versions have nothing. */
  readonly doctor?: DoctorState;
  /** The same for the brake. */
  readonly brake?: BrakeState;
  /** The update of the best validation so far; its weights are kept apart. */
  readonly best?: { readonly update: number; readonly success: number };
  /** Ids of the tasks of the run's pool; none where tasks have no end. */
  readonly pool?: readonly string[];
  /** What the strategy's own number comes to so far; checkpoints of earlier versions do not say. */
  readonly effect?: number;
  /** The rewards that the run has in the place of the world's own, and what they remember. Default: none. */
  readonly rewards?: JsonObject | string;
  readonly references?: JsonObject | null;
  readonly before: Evaluation | null;
  readonly validations: readonly { readonly update: number; readonly evaluation: Evaluation }[];
  /** Parts of files that it was started with, by path and content hash. Default: none. */
  readonly parts?: readonly string[];
  /** A hash of everything that decides the course of the run; a resumed run must have the same. */
  readonly fingerprint: string;
  /** What the hash is of, so that a difference can be named; checkpoints of earlier versions have none. */
  readonly config?: JsonObject;
}

export interface Course {
  readonly fingerprint: string;
  readonly config: JsonObject;
  readonly rewards: JsonObject | string | undefined;
}

/** `carried`: what the credit method kept of the task before. */
export const freshProgress = (
  { fingerprint, config, rewards }: Course,
  carried: JsonObject | null = null,
): TrainProgress => ({
  ...(rewards === undefined ? {} : { rewards }),
  update: 0,
  spent: { environmentSteps: 0, sampledTokens: 0, modelTokens: 0, updateSeconds: 0, seconds: 0 },
  silenced: null,
  guard: { lowShifts: 0, poorProbes: 0 },
  strategy: null,
  credit: carried,
  recipe: null,
  skills: {},
  history: [],
  screensTold: [],
  before: null,
  validations: [],
  ...partsHere(),
  fingerprint,
  config,
});

function partsHere(): Pick<TrainProgress, "parts"> {
  const parts = loadedParts().map(({ name }) => name);
  return parts.length === 0 ? {} : { parts };
}

/** A file that has changed makes another training of it; the error names it. */
function checkParts({ parts: had = [] }: TrainProgress): void {
  for (const { name } of loadedParts()) {
    const { file, hash } = splitName(name);
    const before = had.map(splitName).find((one) => one.file === file);
    if (before === undefined || before.hash === hash) continue;
    throw new EngineError(
      "other-training",
      `The file "${file}" has changed since the run was started: its content was ${before.hash} and is ${hash}. Put the old file back to resume the run, or start a new one.`,
      { details: { file, had: before.hash, has: hash } },
    );
  }
}

/** The progress in a checkpoint, or an error when it is that of another training. */
export function readProgress(
  held: Readonly<Record<string, unknown>>,
  { fingerprint, config, rewards }: Course,
): TrainProgress {
  const progress = held["training"] as TrainProgress | undefined;
  if (progress === undefined) {
    throw new EngineError(
      "nothing-to-resume",
      "The checkpoint was not written by limbeck train; start a new run without --resume.",
    );
  }
  checkParts(progress);
  const [had, has] = [rewardsInWords(progress.rewards), rewardsInWords(rewards)];
  if (had !== has) {
    throw new EngineError(
      "other-training",
      `The run has other rewards than it was started with: it had ${had}, and now ${has} is given. Give the same to resume it, or start a new run.`,
    );
  }
  if (progress.fingerprint === fingerprint) return progress;
  const differing = progress.config === undefined ? [] : differences(progress.config, config);
  const named = differing.map(({ name, had, has }) => `${name} was ${had} and is now ${has}`).join("; ");
  throw new EngineError(
    "other-training",
    `The run was started with other settings${named === "" ? " (recipe, world, seed, model or --set)" : `: ${named}`}. Give the same ones to resume it, or start a new run. Only --steps may grow.`,
    { details: { differing } },
  );
}

interface Difference {
  /** Such as "seed" or "settings.group". */
  readonly name: string;
  /** As JSON; "nothing" where it was not there. */
  readonly had: string;
  readonly has: string;
}

/** Every single value that differs. The number of updates may. */
function differences(had: JsonObject, has: JsonObject): Difference[] {
  const whole = ({ settings, ...config }: JsonObject): JsonObject => ({
    ...config,
    updates: 0,
    settings: { ...EARLIER_VALUES, ...(settings as JsonObject | undefined) },
  });
  const [before, now] = [leaves(whole(had)), leaves(whole(has))];
  const names = [...new Set([...before.keys(), ...now.keys()])];
  return names.flatMap((name) => {
    const [old, fresh] = [before.get(name) ?? "nothing", now.get(name) ?? "nothing"];
    return old === fresh ? [] : [{ name, had: old, has: fresh }];
  });
}

function leaves(value: JsonObject, prefix = ""): Map<string, string> {
  const found = Object.entries(value).flatMap(([key, inner]): (readonly [string, string])[] =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? [...leaves(inner as JsonObject, `${prefix}${key}.`)]
      : [[prefix + key, JSON.stringify(inner)]],
  );
  return new Map(found);
}

function rewardsInWords(rewards: TrainProgress["rewards"]): string {
  if (rewards === undefined) return "the world's own reward";
  if (typeof rewards === "string") return "a reward of its own code";
  return canonicalJson(rewards);
}
