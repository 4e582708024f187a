/**
 * The contract of a provider: who supplies a signal that a credit method needs beyond outcomes. A method states its
 * needs; the training picks the providers by them, so that `--credit NAME` is enough. What a provider plays or scores is
 * booked with `spend`: it is part of what the method costs.
 */
import type { EntryInfo, OptionTable, OptionValue, OptionValues } from "../../base/index.ts";
import type { CreditRow, Need, TrajectoryBatch } from "../../credit/index.ts";
import type { Env } from "../../env/index.ts";
import type { Dialect, RowStatistics, ScoreRow, Scorer, StatisticName } from "../../policy/index.ts";
import type { Agent } from "../../rollout/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import type { Reference } from "./references.ts";
import type { TrainedModel } from "../../training/trained-model.ts";

/** What a provider took, in the units of the training's account. */
export interface Cost {
  readonly environmentSteps: number;
  readonly sampledTokens: number;
  /** Tokens read or scored that were not sampled. */
  readonly modelTokens: number;
}

/** What providers work with during one update. */
export interface ProviderBench {
  readonly update: number;
  /** Splits the draws of this update from those of others. */
  readonly seed: string;
  /** The world, cut at the training's own number of steps. */
  readonly env: Env;
  readonly model: TrainedModel;
  readonly dialect: Dialect;
  /** The policy at the start of the run. */
  readonly start: Scorer;
  /** Discount of the credit method, where it has one; 1 otherwise. */
  readonly gamma: number;
  readonly settings: Readonly<Record<string, OptionValue>>;
  readonly signal: AbortSignal;
  /** The policy as an agent, at this temperature. */
  readonly agent: (temperature: number) => Agent;
  /** What is right in this task, by the world's demonstrator; undefined where it failed itself. */
  readonly reference: (task: Task, need: Need) => Promise<Reference | undefined>;
  /** Statistics of given tokens, booked. The policy's own unless a scorer is given. */
  readonly score: (
    rows: readonly ScoreRow[],
    statistics: readonly StatisticName[],
    scorer?: Scorer,
  ) => Promise<RowStatistics[]>;
  readonly spend: (cost: Partial<Cost>) => void;
}

export interface ProviderInfo extends EntryInfo {
  /** What it takes, in words. */
  readonly cost: string;
  readonly departures: readonly string[];
}

export interface Provided {
  readonly batch: TrajectoryBatch;
  readonly metrics?: Readonly<Record<string, number>>;
}

export interface Provider<Table extends OptionTable = OptionTable> {
  readonly info: ProviderInfo;
  readonly supplies: readonly Need[];
  readonly options: Table;
  provide(
    batch: TrajectoryBatch,
    episodes: readonly Trajectory[],
    bench: ProviderBench,
    options: OptionValues<Table>,
  ): Promise<Provided>;
}

/** Makes an entry of the registry. */
export function defineProvider<const Table extends OptionTable>(provider: Provider<Table>): Provider<Table> {
  return provider;
}

/** The same batch with other rows. */
export function withRows(batch: TrajectoryBatch, change: (row: CreditRow, at: number) => CreditRow): TrajectoryBatch {
  return { ...batch, rows: batch.rows.map(change) };
}

export function withSignals(row: CreditRow, signals: NonNullable<CreditRow["signals"]>): CreditRow {
  return { ...row, signals: { ...row.signals, ...signals } };
}

export function withLogprobs(row: CreditRow, logprobs: NonNullable<CreditRow["logprobs"]>): CreditRow {
  return { ...row, logprobs: { ...row.logprobs, ...logprobs } };
}
