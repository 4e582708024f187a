/** The tools a recipe works with during one update. Each times itself, so that the phases of an update can be told. */
import { createRng, EngineError, mean, shuffle, type OptionValue } from "../base/index.ts";
import { assignCredit, creditBatch, getCredit, type CreditResult, type TrajectoryBatch } from "../credit/index.ts";
import {
  rescore,
  teacherDiagnostics,
  type Guard,
  type Rescored,
  type Teacher,
  type TeacherDiagnostics,
} from "../distill/index.ts";
import type { Dialect, Objective, Scorer, TrainRow } from "../policy/index.ts";
import type { LocalModel } from "../policy/local/index.ts";
import type { Analysis, Analyst, TeacherForestOptions } from "../skill/index.ts";
import { combine, objectives, type WeightedObjective } from "../train/index.ts";
import { byGroup, type Trajectory } from "../trajectory/index.ts";
import { creditSettings, type Settings } from "./settings.ts";
import { trainRows, type TrainRowOptions } from "./train-rows.ts";

export const phases = ["collect", "analyse", "rescore", "credit", "learn"] as const;
export type Phase = (typeof phases)[number];

/** Everything one update has in hand. */
export interface WorkbenchParts {
  readonly update: number;
  readonly seed: number;
  readonly settings: Settings;
  readonly credit: string;
  readonly model: LocalModel;
  readonly dialect: Dialect;
  /** The policy at the start of the run, for the divergence from it. */
  readonly start: Scorer;
  readonly teacher: Teacher;
  readonly guard: Guard;
  readonly analyst: Analyst;
  /** Whether the guard has stopped the teacher in an earlier update. */
  readonly silenced: boolean;
  readonly learningRate: number;
  readonly collect: () => Promise<readonly Trajectory[]>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface Credited {
  readonly batch: TrajectoryBatch;
  readonly result: CreditResult;
  readonly rows: readonly TrainRow[];
}

export interface AnalyseRequest {
  readonly maxStepSkills: number;
  readonly select?: (trajectory: Trajectory) => boolean;
}

export interface RescoreRequest {
  readonly forest: TeacherForestOptions;
  readonly distribution: boolean;
}

export interface CreditingOptions extends Omit<TrainRowOptions, "opinions"> {
  /** Whether the teacher's shift is part of the advantage; a divergence takes its place otherwise. Yes unless told. */
  readonly shiftAsAdvantage?: boolean;
}

export interface Workbench {
  /** Counts from 1. */
  readonly update: number;
  /** True once the guard has found the teacher to have gone bad. */
  readonly silenced: boolean;
  readonly vocabularySize: number;
  /** Fresh episodes of this update's tasks, in groups. */
  collect(): Promise<readonly Trajectory[]>;
  /** Hindsight skills of finished episodes; an analysis that failed is counted and left out. */
  analyse(episodes: readonly Trajectory[], request: AnalyseRequest): Promise<ReadonlyMap<string, Analysis>>;
  /** The episodes' own words, scored by the teacher with the skills in its context. */
  rescore(
    episodes: readonly Trajectory[],
    analyses: ReadonlyMap<string, Analysis>,
    request: RescoreRequest,
  ): Promise<Rescored>;
  /** Advantages by the chosen credit method, and the rows that carry them. */
  credit(episodes: readonly Trajectory[], rescored?: Rescored, options?: CreditingOptions): Credited;
  /** Changes the weights: policy loss, the divergence and entropy settings, and what the recipe adds. */
  learn(rows: readonly TrainRow[], policyLoss: PolicyLoss, extra?: readonly WeightedObjective[]): Promise<void>;
}

/** Which policy loss; "clipped" becomes the plain gradient where the update is strictly on-policy. */
export type PolicyLoss = "clipped" | "gspo";

/** What the update leaves behind, for the lake, the terminal and the report. */
export interface UpdateRecord {
  readonly episodes: Trajectory[];
  readonly analyses: Map<string, Analysis>;
  readonly metrics: Record<string, number>;
  readonly seconds: Record<Phase, number>;
  credited: Credited | undefined;
  rescored: Rescored | undefined;
  diagnostics: TeacherDiagnostics | undefined;
  /** Why the teacher has to be stopped, when the guard says so. */
  stopTeacher: string | undefined;
}

export function createWorkbench(parts: WorkbenchParts): { readonly bench: Workbench; readonly record: UpdateRecord } {
  const { settings, model } = parts;
  const record: UpdateRecord = {
    episodes: [],
    analyses: new Map(),
    metrics: {},
    seconds: { collect: 0, analyse: 0, rescore: 0, credit: 0, learn: 0 },
    credited: undefined,
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
    collect: () =>
      timed("collect", async () => {
        record.episodes.push(...(await parts.collect()));
        return record.episodes;
      }),
    analyse: (episodes, request) => timed("analyse", () => analyse(parts, record, episodes, request)),
    rescore: (episodes, analyses, { forest, distribution }) =>
      timed("rescore", async () => {
        const { contextLength, vocabularySize } = model.config;
        const rescored = await rescore(episodes, analyses, {
          scorer: parts.teacher.scorer,
          dialect: parts.dialect,
          forest: { maxTokens: contextLength, ...forest },
          signal: parts.signal,
          ...(distribution ? { vocabularySize } : {}),
        });
        record.rescored = rescored;
        record.diagnostics = teacherDiagnostics(episodes, rescored);
        record.stopTeacher = parts.guard.watch(parts.update, record.diagnostics);
        return rescored;
      }),
    credit: (episodes, rescored, options = {}) => {
      const started = parts.now();
      record.credited = credit(parts, episodes, rescored, options);
      Object.assign(record.metrics, prefixed("credit/", record.credited.result.metrics));
      record.seconds.credit += (parts.now() - started) / 1_000;
      return record.credited;
    },
    learn: (rows, policyLoss, extra = []) =>
      timed("learn", () =>
        learn(parts, record, rows, [{ name: "policy", weight: 1, objective: lossOf(settings, policyLoss) }, ...extra]),
      ),
  };
  return { bench, record };
}

async function analyse(
  { analyst, signal }: WorkbenchParts,
  record: UpdateRecord,
  episodes: readonly Trajectory[],
  request: AnalyseRequest,
): Promise<ReadonlyMap<string, Analysis>> {
  const groups = byGroup(episodes);
  const found = await Promise.all(
    groups.map(({ trajectories }) => analyst.analyse(trajectories, { ...request, signal })),
  );
  for (const analysis of found.flat()) record.analyses.set(analysis.trajectory, analysis);
  const failed = found.flat().filter(({ error }) => error !== undefined).length;
  Object.assign(record.metrics, {
    "analyst/analysed": record.analyses.size,
    "analyst/failed": failed,
    "analyst/stepSkills": found.flat().reduce((total, { stepSkills }) => total + stepSkills.size, 0),
  });
  return record.analyses;
}

function credit(
  parts: WorkbenchParts,
  episodes: readonly Trajectory[],
  rescored: Rescored | undefined,
  { shiftAsAdvantage = true, ...rowOptions }: CreditingOptions,
): Credited {
  const plain = creditBatch(episodes);
  const batch: TrajectoryBatch = {
    ...plain,
    rows: plain.rows.map((row) => {
      const opinion = shiftAsAdvantage ? rescored?.opinions.get(row.trajectory)?.get(row.step) : undefined;
      if (opinion === undefined) return row;
      return {
        ...row,
        logprobs: {
          ...row.logprobs,
          ...(opinion.episode === undefined ? {} : { episodeTeacher: opinion.episode }),
          ...(opinion.step === undefined ? {} : { stepTeacher: opinion.step }),
        },
        useEpisodeSkill: opinion.episode !== undefined,
        useStepSkill: opinion.step !== undefined,
      };
    }),
  };
  const result = assignCredit(getCredit(parts.credit), batch, creditSettings(parts.settings));
  const opinions = rescored === undefined ? {} : { opinions: rescored.opinions };
  return { batch, result, rows: trainRows(episodes, batch, result, { ...rowOptions, ...opinions }) };
}

/** Where each batch is learned from once and in one piece, the ratio is 1 and clipping does nothing. */
function lossOf(settings: Settings, loss: PolicyLoss): Objective {
  const aggregation = { aggregation: settings["aggregation"] as never };
  const clips = { clipLow: number(settings, "clipLow"), clipHigh: number(settings, "clipHigh") };
  if (loss === "gspo") return objectives.gspo.create({ ...aggregation, ...clips });
  const onPolicy = settings["epochs"] === 1 && settings["miniBatches"] === 1;
  if (onPolicy) return objectives["policy-gradient"].create(aggregation);
  return objectives.clipped.create({ ...aggregation, ...clips, dualClip: settings["dualClip"] as number | null });
}

async function learn(
  parts: WorkbenchParts,
  record: UpdateRecord,
  rows: readonly TrainRow[],
  wanted: readonly WeightedObjective[],
): Promise<void> {
  const { model, settings, signal } = parts;
  const [klWeight, entropyWeight] = [number(settings, "klWeight"), number(settings, "entropyWeight")];
  const aggregation = { aggregation: settings["aggregation"] as never };
  const trained = rows.filter(({ mask }) => mask.includes(1));
  const objective = combine([
    // Where every analysis failed, nobody has a teacher.
    ...wanted.filter(({ objective: { needs } }) =>
      needs.every((name) =>
        name === "divergence"
          ? trained.some(({ teacher }) => teacher !== undefined)
          : name !== "candidates" || trained.some(({ candidates }) => candidates !== undefined),
      ),
    ),
    {
      name: "kl",
      weight: klWeight,
      objective: objectives.kl.create({ ...aggregation, estimator: settings["klEstimator"] as never }),
    },
    { name: "entropy", weight: entropyWeight, objective: objectives["entropy-bonus"].create(aggregation) },
  ]);
  const ready = klWeight > 0 ? await withReference(trained, parts.start, signal) : trained;
  if (ready.length === 0) return;
  const losses: number[] = [];
  const norms: number[] = [];
  for (let epoch = 0; epoch < number(settings, "epochs"); epoch += 1) {
    const order = shuffle([...ready.keys()], createRng(parts.seed).split(`update ${parts.update} epoch ${epoch}`));
    for (const batch of split(order, number(settings, "miniBatches"))) {
      const chosen = batch.sort((left, right) => left - right).map((at) => ready[at] as TrainRow);
      const report = await model.backward(chosen, objective, { signal });
      const clipNorm = settings["clipNorm"] as number | null;
      const { gradientNorm } = await model.step({
        learningRate: parts.learningRate,
        weightDecay: number(settings, "weightDecay"),
        ...(clipNorm === null ? {} : { clipNorm }),
      });
      losses.push(report.loss);
      norms.push(gradientNorm);
      Object.assign(record.metrics, prefixed("loss/", report.metrics));
    }
  }
  Object.assign(record.metrics, { loss: mean(losses), gradientNorm: mean(norms), learningRate: parts.learningRate });
}

async function withReference(rows: readonly TrainRow[], start: Scorer, signal: AbortSignal): Promise<TrainRow[]> {
  const scored = await start.score(
    rows.map(({ ids, mask }) => ({ ids, mask })),
    { signal },
  );
  return rows.map((row, at) => ({ ...row, referenceLogprobs: Float64Array.from(scored[at]?.logprob ?? []) }));
}

/** Into so many parts of nearly equal size; fewer where there is too little. */
function split<T>(items: readonly T[], parts: number): T[][] {
  const count = Math.min(parts, items.length);
  return Array.from({ length: count }, (_, part) =>
    items.slice(Math.floor((part * items.length) / count), Math.floor(((part + 1) * items.length) / count)),
  );
}

function number(settings: Settings, name: string): number {
  const value: OptionValue | undefined = settings[name];
  if (typeof value === "number") return value;
  throw new EngineError("bad-option", `The setting ${name} is ${String(value)}; it must be a number.`);
}

function prefixed(prefix: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}
