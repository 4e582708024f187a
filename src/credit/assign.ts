/** The engine around a method: checks the batch, the needs and the options, then adds the method's terms up. */
import type { Credit, CreditBatch, CreditResult, CreditRow, IndexedBatch, Term } from "./credit.ts";
import { indexBatch } from "./batch-index.ts";
import { checkRows } from "./check-rows.ts";
import { requireNeeds } from "./needs.ts";
import { resolveOptions, type OptionTable, type OptionValues } from "./options.ts";
import { tokenArrays } from "./token-arrays.ts";

/** A checked batch; make it once to run several methods on it. */
export function prepareBatch(batch: CreditBatch): IndexedBatch {
  checkRows(batch.rows);
  return { rows: batch.rows, trajectories: batch.trajectories, index: indexBatch(batch) };
}

/** Per-token advantages by the method, with the terms they are made of. */
export function assignCredit<Options extends OptionTable>(
  credit: Credit<Options>,
  batch: CreditBatch | IndexedBatch,
  options: Partial<OptionValues<Options>> = {},
): CreditResult {
  const method = credit.info.title;
  const resolved = resolveOptions(credit.options, options, method);
  const prepared = "index" in batch ? batch : prepareBatch(batch);
  requireNeeds(credit.needs, prepared, method);
  return sumTerms(prepared, credit.compute(prepared, resolved));
}

/** A[row][token] = mask * sum of weight * value. */
export function sumTerms(batch: IndexedBatch, computed: ReturnType<Credit["compute"]>): CreditResult {
  const { rows } = batch;
  const { terms, dropped = [] } = computed;
  const active = Object.values(terms).filter((term) => term.weight !== 0);
  const perRow = active.flatMap((term) => (term.perRow === undefined ? [] : [{ ...term, values: term.perRow }]));
  const perToken = active.flatMap((term) => (term.perToken === undefined ? [] : [{ ...term, values: term.perToken }]));
  const left = new Set(dropped);
  const advantages = tokenArrays(rows);
  for (let index = 0; index < rows.length; index += 1) {
    if (left.has(index)) continue;
    const { mask } = rows[index] as CreditRow;
    const target = advantages[index] as Float64Array;
    let base = 0;
    for (const { weight, values } of perRow) base += weight * (values[index] as number);
    for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) target[token] = base;
    for (const { weight, values } of perToken) addTokens(target, mask, weight, values[index] as Float64Array);
  }
  return {
    ...computed,
    dropped,
    advantages,
    metrics: { ...sizes(batch, dropped.length), ...shares(batch, terms), ...computed.metrics },
  };
}

function addTokens(target: Float64Array, mask: Uint8Array, weight: number, values: Float64Array): void {
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] === 1) target[token] = (target[token] as number) + weight * (values[token] as number);
  }
}

function sizes({ rows, index }: IndexedBatch, dropped: number): Record<string, number> {
  return {
    rows: rows.length,
    trajectories: index.trajectories,
    tasks: index.tasks,
    tokens: index.totalTokens,
    droppedRows: dropped,
  };
}

/** Mean size of each term over the trained tokens, and its share of the sum of these. */
function shares(batch: IndexedBatch, terms: Readonly<Record<string, Term>>): Record<string, number> {
  const means = Object.entries(terms).map(([name, term]) => [name, meanSize(batch, term)] as const);
  const total = means.reduce((sum, [, mean]) => sum + mean, 0);
  return Object.fromEntries(
    means.flatMap(([name, mean]) => [
      [`${name}.meanAbs`, mean],
      [`${name}.share`, total === 0 ? 0 : mean / total],
    ]),
  );
}

function meanSize({ rows, index }: IndexedBatch, { weight, perRow, perToken }: Term): number {
  if (index.totalTokens === 0 || weight === 0) return 0;
  let sum = 0;
  for (let at = 0; at < rows.length; at += 1) {
    if (perRow !== undefined) sum += (index.tokens[at] as number) * Math.abs(perRow[at] as number);
    const values = perToken?.[at];
    if (values === undefined) continue;
    const { mask } = rows[at] as CreditRow;
    for (let token = 0; token < mask.length; token += 1) {
      if (mask[token] === 1) sum += Math.abs(values[token] as number);
    }
  }
  return (Math.abs(weight) * sum) / index.totalTokens;
}
