/**
 * The contract of a provider: who supplies a signal that a credit method needs beyond outcomes. A method states its
 * needs; `credit` picks the providers by them, so that `--credit NAME` is enough. What a provider plays or scores is part
 * of what the method costs; the ledger books it.
 */
import type { OptionTable } from "limbeck-base/base/option-table";
import type { CreditRow } from "../../credit/credit.ts";
import type { TrajectoryBatch } from "../../credit/from-trajectories.ts";
import type { StatisticName } from "limbeck-policy/policy/objective";
import type { RowStatistics, Scorer, ScoreRow } from "limbeck-policy/policy/policy";
import type { Provider, UpdateContext } from "../context.ts";

/** Makes an entry of the registry. */
export function defineProvider<const Table extends OptionTable>(provider: Provider<Table>): Provider<Table> {
  return provider;
}

/** Splits the draws of providers from those of others. */
export function seedOf({ seed, update }: UpdateContext): string {
  return `${seed} update ${update} providers`;
}

/** Discount of the credit method, where it has one; 1 otherwise. */
export function gammaOf({ settings }: UpdateContext): number {
  return settings.credit.gamma ?? 1;
}

/** Statistics of given tokens. Default: the policy's own. */
export async function statisticsOf(
  { model, signal }: UpdateContext,
  rows: readonly ScoreRow[],
  statistics: readonly StatisticName[],
  scorer: Scorer = model,
): Promise<RowStatistics[]> {
  return await scorer.score(rows, { statistics, signal });
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
