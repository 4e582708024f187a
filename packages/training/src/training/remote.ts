/**
 * A training whose weights are on a trainer. Episodes are played here, with the tokenizer of the model folder; the
 * checkpoint is a file that names one on the trainer, and the trained weights are brought home at the end.
 */
import { join } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { openTeacher } from "limbeck-core/distill/index";
import type { TaughtModel, Teacher } from "limbeck-core/distill/teacher";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { loadTokenizer } from "limbeck-policy/policy/local/load-tokenizer";
import { isGguf } from "limbeck-policy/policy/local/is-gguf";
import { readJsonFile } from "limbeck-policy/policy/local/model-folder";
import { LORA_TARGETS, loraShapes } from "limbeck-policy/policy/local/lora";
import { parameterShapes } from "limbeck-policy/policy/local/model-config";
import { readConfig, readSizes } from "limbeck-policy/policy/local/read-sizes";
import { betasFor, type HeldType, namedType } from "limbeck-policy/policy/tinker/training-probe";
import { openTinkerPolicy, type TinkerPolicy } from "limbeck-policy/policy/tinker/tinker-policy";
import { stepSettings } from "limbeck-core/update/learn";
import type { Settings } from "limbeck-core/update/settings";
import type { TrainedModel } from "limbeck-core/update/context";
import { headsOf } from "./local.ts";
import type { OpenedModel } from "./opened-model.ts";

const NEED = "give the folder with the tokenizer and configuration of the model that the trainer serves";

export interface TrainerPlan {
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Which of the trainer's base models. Default: the only one. */
  readonly baseModel?: string | undefined;
  /** Of the adapter; 0 for the full weights. Default: the trainer's own choice. */
  readonly rank?: number | undefined;
}

export interface RemoteTraining {
  /** Folder with the tokenizer and configuration of the model that the trainer serves; its weights are not read. */
  readonly model: string;
  readonly trainer: TrainerPlan;
  readonly settings: Settings;
  readonly credit: Parameters<typeof headsOf>[0]["credit"];
  readonly names: { readonly credit: string };
  readonly seed: number;
  readonly dir: string;
  readonly checkpoint: string;
  readonly begun: boolean;
  readonly onNotice: (message: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export async function openRemote(plan: RemoteTraining): Promise<OpenedModel> {
  const { trainer, checkpoint, settings, onNotice, signal, environment } = plan;
  refuseHeads(plan);
  const tokenizer = await loadTokenizer(plan.model);
  const { assumed, ...config } = await readSizes(plan.model, tokenizer);
  const { vocabularySize, contextLength } = config;
  if (assumed) {
    onNotice(`Nothing in ${plan.model} says how long a context may be; ${contextLength} tokens are assumed.`);
  }
  const dialect = await createChatDialect(tokenizer);
  const { seed } = plan;
  const weightsType = await typeOfWeights(plan.model);
  const sizes = { vocabularySize, contextLength, weightsType };
  const policy = await openTinkerPolicy({ ...trainer, ...sizes, seed, onNotice, signal });
  let teacher: Teacher;
  try {
    // Refused now, not at the first step.
    betasFor(policy.training.held, stepSettings(settings));
    if (plan.begun) await policy.load(checkpoint);
    teacher = await teacherOf(settings, policy, { config, tokenizer, signal, environment });
  } catch (error) {
    await policy.close();
    throw error;
  }
  const model: TrainedModel = {
    ...policy,
    config,
    // A spread reads a getter once; this one changes.
    get ref() {
      return policy.ref;
    },
  };
  return {
    model,
    parameters: await parametersOf(plan.model, policy.rank),
    start: policy.start,
    dialect,
    held: plan.begun ? policy.progress : undefined,
    share: {
      kind: "there",
      url: trainer.url,
      version: () => policy.ref.version ?? 0,
      publish: () => policy.publish(),
      forget: (path) => policy.forget(path),
      hold: () => policy.hold(),
    },
    teach: () =>
      Promise.resolve({
        teacher,
        acting: () => teacher.policy ?? (settings.teacher === "self" ? policy : policy.start),
      }),
    save: (reached) => policy.save(checkpoint, { progress: { training: { ...reached } } }),
    finish: async () => {
      await policy.download(join(plan.dir, policy.rank === 0 ? "model" : "adapter"), signal);
    },
    close: async () => {
      await teacher.close?.();
      await policy.close();
    },
  };
}

/** Before the first request: the protocol has no place for a head beside the policy. */
function refuseHeads({ names, ...plan }: RemoteTraining): void {
  if (headsOf(plan).heads === undefined) return;
  throw new EngineError(
    "needs-unmet",
    `The credit method ${names.credit} learns a value head beside the policy, which a trainer has no place for. Choose a --credit without one (grpo, rloo, gigpo, …), or train in this process, without --trainer.`,
    { details: { credit: names.credit } },
  );
}

/** As the configuration names it, under its new name or its old one. */
async function typeOfWeights(model: string): Promise<HeldType | undefined> {
  if (isGguf(model)) return undefined;
  const json = await readJsonFile(model, "config.json");
  return namedType(json?.["dtype"] ?? json?.["torch_dtype"]);
}

/** Those that only score are opened as for a model of this process; the others are made of weights that are not here. */
async function teacherOf(
  settings: Settings,
  policy: TinkerPolicy,
  {
    signal,
    environment,
    ...here
  }: Pick<TaughtModel, "config" | "tokenizer"> & Pick<RemoteTraining, "signal" | "environment">,
): Promise<Teacher> {
  const { teacher = "reference", teacherSource } = settings;
  if (teacher === "self" || teacher === "reference") {
    const scorer = teacher === "self" ? policy : policy.start;
    return { scorer, learned: () => undefined, state: undefined };
  }
  const refuse = (): never => {
    throw new EngineError(
      "needs-unmet",
      `The teacher ${teacher} needs the weights in this process. With a trainer the teacher is reference or self, or one that is elsewhere: model, aligned or endpoint.`,
    );
  };
  const student: TaughtModel = {
    ...here,
    statistics: policy.statistics,
    score: (rows, options) => policy.score(rows, options),
    scorerWith: refuse,
    get weights() {
      return refuse();
    },
  };
  if (["ema", "mixture", "routed"].includes(teacher)) refuse();
  return await openTeacher(teacher, student, {
    start: { flat: new Float32Array(0), matrices: 0, views: {}, places: new Map() },
    decay: 0,
    source: teacherSource ?? null,
    signal,
    environment,
  });
}

/** 0 where the model is of a kind that this engine cannot count. */
async function parametersOf(folder: string, rank: number): Promise<number> {
  const config = await readConfig(folder, NEED).catch(() => undefined);
  if (config === undefined) return 0;
  const shapes = rank === 0 ? parameterShapes(config) : loraShapes(config, { rank, alpha: 1, targets: LORA_TARGETS });
  return [...shapes.values()].reduce((total, shape) => total + shape.reduce((size, side) => size * side, 1), 0);
}
