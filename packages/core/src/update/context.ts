/**
 * What one update has in hand. A recipe passes it to `collect`, `teach`, `credit` and `learn`, in this order; each does
 * its part, times itself and writes down what it found in the record.
 *
 * Every model and every world in here goes through one ledger: every use is booked.
 */
import { createRng, type Rng } from "limbeck-base/base/rng";
import type { EntryInfo } from "limbeck-base/base/method-info";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import type { CreditMethod } from "../credit/credit.ts";
import type { TrajectoryBatch } from "../credit/from-trajectories.ts";
import type { Need } from "../credit/needs.ts";
import type { Guard } from "../distill/guard.ts";
import type { Teacher } from "../distill/teacher.ts";
import type { Demonstrator } from "../env/expert.ts";
import type { Env } from "../env/env.ts";
import { withTimeLimit } from "../env/with-time-limit.ts";
import type { ObjectiveMethod } from "../objective/objective.ts";
import type { Learner, Policy, Scorer } from "limbeck-policy/policy/policy";
import type { ReadyStrategy, Strategy } from "../rollout/strategy.ts";
import type { OutcomeScorer, Pool } from "../walk/judge.ts";
import type { Analyst, Writer } from "../skill/skill.ts";
import type { JsonObject, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { FamilySkills, Speaker } from "./agent.ts";
import type { Correction } from "./correction.ts";
import type { Deadline } from "./deadline.ts";
import { createLedger, withMembers, type Ledger } from "./ledger.ts";
import type { Phase, UpdateRecord } from "./record.ts";

/** The model that a training changes, in this process or on a server. */
export interface TrainedModel extends Policy, Scorer, Pick<Learner, "backward" | "step"> {
  readonly config: { readonly contextLength: number; readonly vocabularySize: number };
}

/** What stays the same from update to update. */
export interface TrainingParts extends Speaker {
  readonly seed: number;
  readonly model: TrainedModel;
  /** The policy at the start of the run, which a resumed run has again. */
  readonly start: Scorer;
  readonly teacher: Teacher;
  /** The teacher as a policy that acts; made when first asked for. */
  readonly teacherPolicy: () => Policy;
  readonly analyst: Analyst;
  /** Who writes reflections and reasons. Default: templates. */
  readonly textWriter?: Writer | undefined;
  /** The policy itself as the writer: made of the policy of the update, so that what it says is booked. */
  readonly ownWriter?: ((policy: Policy) => Writer) | undefined;
  readonly credit: CreditMethod;
  /** A policy loss in the place of the recipe's own. */
  readonly policyLoss?: ObjectiveMethod | undefined;
  /** Who can supply what a credit method needs beyond outcomes. They run in this order. */
  readonly providers: Readonly<Record<string, Provider>>;
  /** Which episodes are walked; it may remember things from update to update. */
  readonly strategy: ReadyStrategy;
  /** A search that collects in its place; what it asks of others is booked. */
  readonly collecting?: ((ledger: Ledger) => Strategy) | undefined;
  readonly env: Env;
  /** The world as the recipe plays it, with who writes. Default: the environment itself. */
  readonly worldAs?: ((env: Env, writer: Writer | undefined) => Env) | undefined;
  /** Who can show how a task is done. */
  readonly demonstrator?: Demonstrator | undefined;
  /** Finished episodes of other runs. Default: what the same policy does with another seed. */
  readonly pool?: Pool | undefined;
  /** Who says how likely unfinished episodes are to succeed, for strategies that want to know. */
  readonly outcomeScorer?: OutcomeScorer | undefined;
  /** Gives the episodes of an update other rewards than the world's, before anybody looks at them. */
  readonly reward?:
    | ((episodes: readonly Trajectory[], update: UpdateContext) => Promise<readonly Trajectory[]>)
    | undefined;
  /** What is done about tokens of an earlier version; nothing where all are fresh. */
  readonly correction?: Correction | undefined;
  readonly now: () => number;
  /** When the time is up; nothing calls a model after that. */
  readonly deadline?: Deadline | undefined;
  readonly signal: AbortSignal;
}

export interface UpdateContext extends TrainingParts {
  /** Counts from 1. */
  readonly update: number;
  /** Updates of the whole training, where they are known. */
  readonly updates?: number | undefined;
  /** Hears which phase begins, for who watches. */
  readonly onPhase?: ((phase: Phase) => void) | undefined;
  readonly learningRate: number;
  readonly guard: Guard;
  /** True once the guard has found the teacher to have gone bad. */
  readonly silenced: boolean;
  /** Skills that stand in the prompts of this update. */
  readonly skills: FamilySkills;
  /** What the recipe kept in the update before, also over a restart; null at the beginning. */
  readonly kept: JsonObject | null;
  /** The same for the credit method. */
  readonly creditState: JsonObject | null;
  /** Episodes that are played elsewhere. Default: they are played here. */
  readonly supply?: ((strategy?: Strategy) => Promise<readonly Trajectory[]>) | undefined;
  /** Waited for before the weights are changed, each time. */
  readonly beforeLearning?: (() => Promise<void>) | undefined;
  readonly ledger: Ledger;
  readonly record: UpdateRecord;
}

/** Who supplies a signal that a credit method needs beyond outcomes. `providers/provider.ts` tells how one is made. */
export interface Provider<Table extends OptionTable = OptionTable> {
  readonly info: ProviderInfo;
  readonly supplies: readonly Need[];
  readonly options: Table;
  provide(
    batch: TrajectoryBatch,
    episodes: readonly Trajectory[],
    update: UpdateContext,
    options: OptionValues<Table>,
  ): Promise<Provided>;
}

export interface ProviderInfo extends EntryInfo {
  readonly departures: readonly string[];
  /** What it takes, in words. */
  readonly cost: string;
}

export interface Provided {
  readonly batch: TrajectoryBatch;
  readonly metrics?: Readonly<Record<string, number>>;
}

/** Wraps everything that costs; the world is cut at the training's own number of steps. */
export function createContext(parts: Omit<UpdateContext, "ledger" | "record">): UpdateContext {
  const { teacher, settings, deadline, beforeLearning } = parts;
  const ledger = createLedger(deadline?.check);
  const metrics: Record<string, number> = {};
  const booked = ledger.model(parts.model);
  const writer = parts.ownWriter?.(booked) ?? parts.textWriter;
  const textWriter = writer && countedWriter(writer, metrics);
  const analyst = (textWriter && parts.analyst.writtenBy?.(textWriter)) ?? parts.analyst;
  const { scorerFor, policy } = teacher;
  return {
    ...parts,
    ledger,
    model: learningInTime(booked, deadline, beforeLearning),
    analyst: deadline === undefined ? analyst : askedInTime(analyst, deadline),
    ...(textWriter === undefined ? {} : { textWriter }),
    start: ledger.scorer(parts.start),
    teacher: {
      ...teacher,
      scorer: ledger.scorer(teacher.scorer),
      ...(scorerFor === undefined ? {} : { scorerFor: (trajectory) => ledger.scorer(scorerFor(trajectory)) }),
      ...(policy === undefined ? {} : { policy: ledger.policy(policy) }),
    },
    teacherPolicy: () => ledger.policy(parts.teacherPolicy()),
    env: ledger.world(cut(parts.worldAs?.(parts.env, textWriter) ?? parts.env, settings.maxSteps)),
    record: {
      episodes: [],
      beside: [],
      analyses: new Map(),
      solutions: new Map(),
      metrics,
      played: undefined,
      notices: [],
      seconds: { collect: 0, analyse: 0, rescore: 0, credit: 0, learn: 0 },
      skills: parts.skills,
      kept: parts.kept,
      credited: undefined,
      creditState: parts.creditState,
      taught: undefined,
      diagnostics: undefined,
      divergences: new Map(),
      stopTeacher: undefined,
    },
  };
}

/** How often each writer wrote; a failing text model is seen here and nowhere else. */
export function countedWriter(writer: Writer, metrics: Record<string, number>): Writer {
  const count = (name: string, more = 1): void => {
    metrics[`writer/${name}`] = (metrics[`writer/${name}`] ?? 0) + more;
  };
  return {
    id: writer.id,
    write: async (writing, options) => {
      const written = await writer.write(writing, options);
      count(written.by);
      count("tokens", (written.usage?.promptTokens ?? 0) + (written.usage?.completionTokens ?? 0));
      return written;
    },
  };
}

/** Between two batches the time may be up; what was learned of the update is then given up with it. */
function learningInTime(
  model: TrainedModel,
  deadline: Deadline | undefined,
  before: UpdateContext["beforeLearning"],
): TrainedModel {
  if (deadline === undefined && before === undefined) return model;
  return withMembers(model, {
    backward: async (...given: Parameters<TrainedModel["backward"]>) => {
      deadline?.check();
      await before?.();
      return await model.backward(...given);
    },
  });
}

function askedInTime(analyst: Analyst, deadline: Deadline): Analyst {
  return withMembers(analyst, {
    analyse: async (...given: Parameters<Analyst["analyse"]>) => {
      deadline.check();
      return await analyst.analyse(...given);
    },
  });
}

/** The world with at most so many steps. */
export function cut(env: Env, steps: number | null): Env {
  return steps !== null && steps < env.maxSteps ? withTimeLimit(env, steps) : env;
}

/**
 * Draws of this update under a name.
 *
 * @example
 * import { getRecipe } from "limbeck/update";
 * import type { Recipe } from "limbeck";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     const [one, same] = [drawsOf(update, "order").float(), drawsOf(update, "order").float()];
 *     console.log(one === same); // true
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export function drawsOf({ seed, update }: UpdateContext, label: string): Rng {
  return createRng(seed).split(`update ${update} ${label}`);
}

/**
 * Adds numbers to what is recorded of this update.
 *
 * @example
 * import { getRecipe } from "limbeck/update";
 * import type { Recipe } from "limbeck";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     measure(update, { tried: 3 }, "own/");
 *     console.log(update.record.metrics["own/tried"]); // 3
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export function measure({ record }: UpdateContext, metrics: Readonly<Record<string, number>>, prefix = ""): void {
  for (const [name, value] of Object.entries(metrics)) record.metrics[prefix + name] = value;
}

/**
 * Keeps this for the next update of the recipe, in the place of what was kept before.
 *
 * @example
 * import { getRecipe } from "limbeck/update";
 * import type { Recipe } from "limbeck";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     console.log(update.kept); // null
 *     keep(update, { seen: 1 });
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export function keep({ record }: UpdateContext, state: JsonObject): void {
  record.kept = state;
}

/** Does the work and books its time. */
export async function timePhase<T>(update: UpdateContext, phase: Phase, work: () => Promise<T> | T): Promise<T> {
  const { now, record, onPhase } = update;
  const started = now();
  onPhase?.(phase);
  try {
    return await work();
  } finally {
    record.seconds[phase] += (now() - started) / 1_000;
  }
}
