/**
 * The contract of a provider: who supplies a signal that a credit method needs beyond outcomes. A method states its
 * needs; `credit` picks the providers by them, so that `--credit NAME` is enough. What a provider plays or scores is part
 * of what the method costs; the ledger books it.
 */
import type { OptionTable } from "limbeck-base/base/option-table";
import type { CreditRow } from "../../credit/credit.ts";
import type { TrajectoryBatch } from "../../credit/from-trajectories.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { placesOf } from "./contexts.ts";
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

/** One statistic of the tokens of each row, where it has any; a stream is scored once for all its steps. */
export async function rowStatistic(
  batch: TrajectoryBatch,
  episodes: readonly Trajectory[],
  update: UpdateContext,
  name: StatisticName,
  scorer: Scorer = update.model,
): Promise<(Float64Array | undefined)[]> {
  const places = placesOf(batch, episodes);
  const streams = [...new Set(places.flatMap((place) => (place === undefined ? [] : [place.stream])))];
  const rows = streams.map(({ ids, mask }) => ({ ids, mask }));
  const scored = await statisticsOf(update, rows, [name], scorer);
  const found = new Map(streams.map((stream, at) => [stream, scored[at]?.[name]]));
  return places.map((place) => {
    const own = place && found.get(place.stream);
    return own && Float64Array.from(own.subarray(place.start, place.end));
  });
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
