/** What `limbeck sft` was told, checked before anything is read; saved with the model so that a resumed run is the same. */
import { EngineError } from "../../base/index.ts";
import { MATRIX_NAMES } from "../../policy/local/forms.ts";
import { LORA_TARGETS } from "../../policy/local/lora.ts";
import type { LoraTarget } from "../../policy/local/model-config.ts";
import type { ScheduleId } from "../../policy/schedule.ts";
import type { Invocation } from "../command.ts";
import { givenCount, givenNumber, maybeCount } from "../model/open-given.ts";
import { usageError } from "../parse.ts";

/** Everything that the course of the training depends on, besides the rows and the number of updates. */
export interface SftSettings {
  readonly batchRows: number;
  readonly learningRate: number;
  readonly schedule: ScheduleId;
  readonly warmupSteps: number;
  readonly weightDecay: number;
  readonly clipNorm: number;
  readonly seed: number;
  /** Another objective than cross-entropy, which is what runs of earlier versions had. */
  readonly objective?: "otr";
  readonly lora: { readonly rank: number; readonly alpha: number; readonly targets: readonly LoraTarget[] } | null;
}

/** An adapter learns few numbers from zero and takes larger steps. */
const LEARNING_RATE = { full: 3e-4, lora: 2e-3 } as const;

export function givenSettings(invocation: Invocation): SftSettings {
  const lora = givenLora(invocation);
  const usual = lora === null ? LEARNING_RATE.full : LEARNING_RATE.lora;
  return {
    batchRows: givenCount(invocation, "batch", 16),
    learningRate: givenNumber(invocation, "learning-rate", { otherwise: usual, low: 0 }),
    schedule: (invocation.text("schedule") ?? "cosine") as ScheduleId,
    warmupSteps: givenCount(invocation, "warmup", 0, 0),
    weightDecay: givenNumber(invocation, "weight-decay", { otherwise: 0, low: 0 }),
    clipNorm: givenNumber(invocation, "clip-norm", { otherwise: 1, low: 0 }),
    seed: givenCount(invocation, "seed", 0, 0),
    ...(invocation.text("objective") === "otr" ? { objective: "otr" as const } : {}),
    lora,
  };
}

function givenLora(invocation: Invocation): SftSettings["lora"] {
  const rank = maybeCount(invocation, "lora");
  for (const option of ["lora-alpha", "lora-targets", "merged"]) {
    if (rank === undefined && invocation.text(option) !== undefined) {
      throw usageError(`--${option} belongs to an adapter; give --lora RANK too.`);
    }
  }
  if (rank === undefined) return null;
  const named =
    invocation
      .text("lora-targets")
      ?.split(",")
      .map((name) => name.trim()) ?? LORA_TARGETS;
  const odd = named.find((name) => !(MATRIX_NAMES as readonly string[]).includes(name));
  if (odd !== undefined) {
    throw usageError(`--lora-targets names "${odd}"; allowed are ${MATRIX_NAMES.join(", ")}, with commas between.`);
  }
  return {
    rank,
    alpha: givenNumber(invocation, "lora-alpha", { otherwise: 2 * rank, low: Number.MIN_VALUE }),
    targets: MATRIX_NAMES.filter((target) => (named as readonly string[]).includes(target)),
  };
}

/** What is saved with the model. */
export interface SftProgress {
  readonly step: number;
  readonly steps: number;
  readonly settings: SftSettings;
  /** Fingerprint of the rows. */
  readonly data: string;
}

/**
 * The place to go on from. A run with other settings or other rows would not be the same run; only the number of updates
 * may change, and that only where the learning rate does not depend on it.
 */
export function resumedStep(saved: unknown, wanted: SftProgress): number {
  const found = saved as Partial<SftProgress> | undefined;
  if (found?.settings === undefined || !Number.isSafeInteger(found.step)) {
    throw new EngineError(
      "no-progress",
      "The folder holds no training of limbeck sft to resume; give another --out, or leave --resume out.",
    );
  }
  const held = found.settings as unknown as Readonly<Record<string, unknown>>;
  const given = wanted.settings as unknown as Readonly<Record<string, unknown>>;
  const differing = [...new Set([...Object.keys(given), ...Object.keys(held)])].flatMap((name) => {
    const before = held[name];
    return JSON.stringify(before) === JSON.stringify(given[name]) ? [] : [`${name} was ${JSON.stringify(before)}`];
  });
  if (found.data !== wanted.data) differing.push("the rows were others");
  if (found.steps !== wanted.steps && wanted.settings.schedule !== "constant") {
    differing.push(`steps was ${found.steps}, on which the schedule "${wanted.settings.schedule}" depends`);
  }
  if (differing.length === 0) return found.step as number;
  throw new EngineError(
    "resume-differs",
    `The training in the folder is another one: ${differing.join("; ")}. Repeat its command with --resume, or give another --out.`,
  );
}
