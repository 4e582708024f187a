/** The engine around a method: checks the batch, the needs and the options, then adds the method's terms up. */
import type { Credit, CreditBatch, CreditResult, CreditRow, IndexedBatch, Term } from "./credit.ts";
import { indexBatch } from "./batch-index.ts";
import { checkRows } from "./check-rows.ts";
import { needs, requireNeeds, type Need } from "./needs.ts";
import { resolveOptions, type OptionTable, type OptionValues } from "../base/index.ts";
import { tokenArrays } from "./token-arrays.ts";

/** A checked batch; make it once to run several methods on it. */
export function prepareBatch(batch: CreditBatch): IndexedBatch {
  return checkedBatch(batch);
}

function checkedBatch(batch: CreditBatch, reads?: ReadonlySet<string>): IndexedBatch {
  checkRows(batch.rows, reads);
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
  const prepared = "index" in batch ? batch : checkedBatch(batch, fieldsRead(credit));
  requireNeeds(credit.needs, prepared, method);
  return sumTerms(prepared, credit.compute(prepared, resolved));
}

function fieldsRead(credit: Pick<Credit, "needs" | "mayNeed">): ReadonlySet<string> {
  const wanted = [...credit.needs, ...(Object.keys(credit.mayNeed ?? {}) as Need[])];
  return new Set(wanted.map((need) => needs[need].field));
}

/** A[row][token] = mask * sum of weight * value. */
export function sumTerms(batch: IndexedBatch, computed: ReturnType<Credit["compute"]>): CreditResult {
  const { rows, index } = batch;
  const { terms, dropped = [] } = computed;
  const active = Object.values(terms).filter((term) => term.weight !== 0);
  const perRow = active.flatMap((term) => (term.perRow === undefined ? [] : [{ ...term, values: term.perRow }]));
  const perToken = active.flatMap((term) => (term.perToken === undefined ? [] : [{ ...term, values: term.perToken }]));
  const left = new Set(dropped);
  const advantages = tokenArrays(rows);
  for (let at = 0; at < rows.length; at += 1) {
    if (left.has(at)) continue;
    const { mask } = rows[at] as CreditRow;
    const target = advantages[at] as Float64Array;
    let base = 0;
    for (const { weight, values } of perRow) base += weight * (values[at] as number);
    if (index.tokens[at] === mask.length) target.fill(base);
    else for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) target[token] = base;
    for (const { weight, values } of perToken) addTokens(target, mask, weight, values[at] as Float64Array);
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
