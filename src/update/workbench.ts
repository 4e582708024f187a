/** The tools a recipe works with during one update. Each times itself, so that the phases of an update can be told. */
import { createRng, type Rng } from "../base/index.ts";
import type { Demonstrator, Env } from "../env/index.ts";
import {
  rescore,
  teacherDiagnostics,
  type Guard,
  type Rescored,
  type Teacher,
  type TeacherDiagnostics,
} from "../distill/index.ts";
import type { Dialect, Policy, Scorer, TrainRow } from "../policy/index.ts";
import type { Strategy } from "../rollout/index.ts";
import type { Analysis, Analyst, TeacherForestOptions } from "../skill/index.ts";
import type { WeightedObjective } from "../objective/index.ts";
import type { JsonObject, Trajectory } from "../trajectory/index.ts";
import { analyseEpisodes, countAnalyses } from "./analyse-episodes.ts";
import { createBeside, type Beside } from "./beside.ts";
import type { Correction } from "./correction.ts";
import { creditEpisodes, type Credited, type CreditingOptions } from "./credit-episodes.ts";
import { instruct, type Instructed, type InstructRequest } from "./instruct.ts";
import { learn, type PolicyLoss, type WholeLoss } from "./learn.ts";
import type { Cost } from "./providers/provider.ts";
import { added as addCosts, NO_COST } from "./providers/run-providers.ts";
import type { Settings } from "../recipe/settings.ts";
import { controlSkills, expertOf, type SkillControl } from "./skill-control.ts";
import { familySkills, type FamilySkills } from "./skill-prompt.ts";
import type { TrainedModel } from "../training/trained-model.ts";

/** "credit" holds the time of the providers too. */
export const phases = ["collect", "analyse", "rescore", "credit", "learn"] as const;
export type Phase = (typeof phases)[number];

/** Everything one update has in hand. */
export interface WorkbenchParts {
  readonly update: number;
  readonly seed: number;
  readonly settings: Settings;
  readonly credit: string;
  readonly model: TrainedModel;
  readonly dialect: Dialect;
  /** The policy at the start of the run, for the divergence from it. */
  readonly start: Scorer;
  readonly teacher: Teacher;
  readonly guard: Guard;
  readonly analyst: Analyst;
  /** Whether the guard has stopped the teacher in an earlier update. */
  readonly silenced: boolean;
  readonly learningRate: number;
  /** What is done about tokens of an earlier version. */
  readonly correction?: Correction;
  readonly collect: (strategy?: Strategy) => Promise<readonly Trajectory[]>;
  /** Where providers play on, and who can show them how a task is done. */
  readonly env?: Env | undefined;
  readonly demonstrator?: Demonstrator | undefined;
  /** The teacher as a policy that acts. */
  readonly teacherPolicy?: () => Policy;
  /** Skills that stand in the prompts of this update, by family of tasks. */
  readonly skills?: FamilySkills;
  /** What the credit method kept from the update before. */
  readonly creditState?: JsonObject | null;
  /** What the recipe kept from the update before. */
  readonly kept?: JsonObject | null;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface AnalyseRequest {
  readonly maxStepSkills: number;
  readonly select?: (trajectory: Trajectory) => boolean;
  /** Other texts in the place of the skills, as a control; none unless told. */
  readonly control?: SkillControl;
}

export interface RescoreRequest {
  readonly forest: TeacherForestOptions;
  readonly distribution: boolean;
}

export interface Workbench extends Beside {
  /** Counts from 1. */
  readonly update: number;
  /** True once the guard has found the teacher to have gone bad. */
  readonly silenced: boolean;
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** How the policy is spoken to. */
  readonly dialect: Dialect;
  /** Draws of this update under a name. */
  rng(label: string): Rng;
  /** What `keep` was given in the update before, also over a restart; null at the beginning. */
  readonly kept: JsonObject | null;
  /** Keeps this for the next update, in the place of what was kept before. */
  keep(state: JsonObject): void;
  /** Adds numbers to what is recorded of this update. */
  measure(metrics: Readonly<Record<string, number>>): void;
  /** Fresh episodes of this update's tasks, in groups; by another strategy than the training's own where one is given. */
  collect(strategy?: Strategy): Promise<readonly Trajectory[]>;
  /** Hindsight skills of finished episodes; an analysis that failed is counted and left out. */
  analyse(episodes: readonly Trajectory[], request: AnalyseRequest): Promise<ReadonlyMap<string, Analysis>>;
  /** Keeps the episode skills of these for the prompts of later updates, the latest of each family of tasks. */
  remember(episodes: readonly Trajectory[], analyses: ReadonlyMap<string, Analysis>): void;
  /** The episodes' own words, scored by the teacher with the skills in its context. */
  rescore(
    episodes: readonly Trajectory[],
    analyses: ReadonlyMap<string, Analysis>,
    request: RescoreRequest,
  ): Promise<Rescored>;
  /**
   * The episodes' own words, scored by a teacher that is told something more: a context of the registry. With candidates
   * also what it thinks of other words. Give the answer to `credit`, so that the rows carry it.
   */
  instruct(episodes: readonly Trajectory[], request: InstructRequest): Promise<Instructed>;
  /** Advantages by the chosen credit method, with what its providers supply, and the rows that carry them. */
  credit(episodes: readonly Trajectory[], rescored?: Rescored, options?: CreditingOptions): Promise<Credited>;
  /**
   * Changes the weights: policy loss, the divergence and entropy settings, and what the recipe adds. A named loss gives
   * way to the setting `objective`; one that is given whole does not. Gives what was measured on the way.
   */
  learn(
    rows: readonly TrainRow[],
    policyLoss: PolicyLoss | WholeLoss,
    extra?: readonly WeightedObjective[],
  ): Promise<Readonly<Record<string, number>>>;
}

/** What the update leaves behind, for the lake, the terminal and the report. */
export interface UpdateRecord {
  readonly episodes: Trajectory[];
  /** Episodes that were played beside: with hints, by a teacher. They count in no rate of success. */
  readonly beside: Trajectory[];
  readonly analyses: Map<string, Analysis>;
  readonly metrics: Record<string, number>;
  readonly seconds: Record<Phase, number>;
  /** Skills for the prompts of later updates. */
  skills: FamilySkills;
  /** What the recipe keeps for the next update. */
  kept: JsonObject | null;
  credited: Credited | undefined;
  /** What providers took, in all. */
  provided: Cost | undefined;
  /** What contexts, further passes of the teacher and episodes beside took. */
  instructed: Cost;
  /** What the credit method keeps for the next update. */
  creditState: JsonObject | null;
  rescored: Rescored | undefined;
  diagnostics: TeacherDiagnostics | undefined;
  /** Why the teacher has to be stopped, when the guard says so. */
  stopTeacher: string | undefined;
}

export function createWorkbench(parts: WorkbenchParts): { readonly bench: Workbench; readonly record: UpdateRecord } {
  const { model } = parts;
  const record: UpdateRecord = {
    episodes: [],
    beside: [],
    analyses: new Map(),
    metrics: {},
    seconds: { collect: 0, analyse: 0, rescore: 0, credit: 0, learn: 0 },
    skills: parts.skills ?? {},
    kept: parts.kept ?? null,
    credited: undefined,
    provided: undefined,
    instructed: NO_COST,
    creditState: parts.creditState ?? null,
    rescored: undefined,
    diagnostics: undefined,
    stopTeacher: undefined,
  };
  const timed = async <T>(phase: Phase, work: () => Promise<T> | T): Promise<T> => {
    const started = parts.now();
    try {
      return await work();
    } finally {
      record.seconds[phase] += (parts.now() - started) / 1_000;
    }
  };
  const bench: Workbench = {
    update: parts.update,
    silenced: parts.silenced,
    vocabularySize: model.config.vocabularySize,
    contextLength: model.config.contextLength,
    dialect: parts.dialect,
    rng: (label) => createRng(parts.seed).split(`update ${parts.update} ${label}`),
    kept: parts.kept ?? null,
    keep: (state) => {
      record.kept = state;
    },
    measure: (metrics) => {
      Object.assign(record.metrics, metrics);
    },
    collect: (strategy) =>
      timed("collect", async () => {
        record.episodes.push(...(await parts.collect(strategy)));
        return record.episodes;
      }),
    ...createBeside(parts, {
      spend: (cost) => {
        record.instructed = addCosts(record.instructed, cost);
      },
      store: (episodes) => record.beside.push(...episodes),
      // Playing beside takes the time of collecting.
      timed: (work) => timed("collect", work),
    }),
    analyse: (episodes, request) => timed("analyse", () => analyse(parts, record, episodes, request)),
    remember: (episodes, analyses) => {
      record.skills = { ...record.skills, ...familySkills(episodes, analyses) };
    },
    rescore: (episodes, analyses, { forest, distribution }) =>
      timed("rescore", async () => {
        const { contextLength, vocabularySize } = model.config;
        const rescored = await rescore(episodes, analyses, {
          scorer: parts.teacher.scorer,
          dialect: parts.dialect,
          forest: { maxTokens: contextLength, ...forest },
          scorerFor: parts.teacher.scorerFor,
          signal: parts.signal,
          ...(distribution ? { width: { kind: "vocabulary" as const, size: vocabularySize } } : {}),
        });
        heed(parts, record, episodes, rescored);
        return rescored;
      }),
    instruct: (episodes, request) =>
      timed("rescore", async () => {
        const maxStepSkills = Number(parts.settings["stepSkills"] ?? 0);
        const instructed = await instruct(parts, record.episodes, episodes, request, {
          analyse: (some, among) => {
            const wanted = new Set(some.map(({ id }) => id));
            return analyse(parts, record, among, { maxStepSkills, select: ({ id }) => wanted.has(id) });
          },
        });
        for (const [id, analysis] of instructed.analyses) record.analyses.set(id, analysis);
        record.instructed = addCosts(record.instructed, instructed.cost);
        Object.assign(record.metrics, prefixed("context/", instructed.metrics));
        heed(parts, record, episodes, instructed);
        return instructed;
      }),
    credit: (episodes, rescored, options = {}) =>
      timed("credit", async () => {
        const { provided, cost, state, ...credited } = await creditEpisodes(parts, episodes, rescored, options);
        record.credited = credited;
        record.provided = cost;
        record.creditState = state;
        Object.assign(record.metrics, prefixed("credit/", credited.result.metrics), prefixed("provider/", provided));
        if (cost.environmentSteps + cost.sampledTokens + cost.modelTokens > 0) {
          Object.assign(record.metrics, prefixed("provider/", { ...cost }));
        }
        return credited;
      }),
    learn: (rows, policyLoss, extra = []) =>
      timed("learn", async () => {
        const measured = await learn(parts, rows, policyLoss, extra);
        Object.assign(record.metrics, measured);
        return measured;
      }),
  };
  return { bench, record };
}

/** Looks at what the teacher said, for the guard and the records. Of several passes the last is kept, all are paid for. */
function heed(parts: WorkbenchParts, record: UpdateRecord, episodes: readonly Trajectory[], rescored: Rescored): void {
  if (record.rescored !== undefined) {
    record.instructed = addCosts(record.instructed, { modelTokens: record.rescored.tokens });
  }
  record.rescored = rescored;
  record.diagnostics = teacherDiagnostics(episodes, rescored);
  record.stopTeacher = parts.guard.watch(parts.update, record.diagnostics) ?? record.stopTeacher;
}

async function analyse(
  parts: WorkbenchParts,
  record: UpdateRecord,
  episodes: readonly Trajectory[],
  { control = "none", ...request }: AnalyseRequest,
): Promise<ReadonlyMap<string, Analysis>> {
  const { analyst, signal } = parts;
  const found = await analyseEpisodes(analyst, episodes, { ...request, signal }, (analyses) =>
    controlSkills(analyses, {
      kind: control,
      episodes,
      rng: createRng(parts.seed).split(`update ${parts.update} skills`),
      dialect: parts.dialect,
      solve: expertOf(parts.env, parts.demonstrator),
      signal,
    }),
  );
  for (const [id, analysis] of found) record.analyses.set(id, analysis);
  Object.assign(record.metrics, prefixed("analyst/", { analysed: record.analyses.size, ...countAnalyses(found) }));
  return record.analyses;
}

function prefixed(prefix: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}
