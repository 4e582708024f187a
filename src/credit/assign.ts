/** The engine around a method: checks the batch, the needs and the options, then adds the method's terms up. */
import { resolveOptions, type OptionTable, type OptionValues } from "../base/index.ts";
import { indexBatch } from "./batch-index.ts";
import { checkRows } from "./check-rows.ts";
import { entry, real, whole } from "./columns.ts";
import type { CreditMethod, CreditBatch, CreditResult, IndexedBatch, Term, Terms } from "./credit.ts";
import { fieldsRead, type Need, requireNeeds } from "./needs.ts";
import { tokenArrays } from "./tokens.ts";

/**
 * A checked batch; make it once to run several methods on it. Only the fields that are `read` are walked through.
 *
 * @example
 * import { assignCredit, batchFromJson, credits } from "limbeck/credit";
 *
 * const batch = prepareBatch(batchFromJson(credits.grpo.example.batch));
 * console.log(assignCredit(credits.opo, batch).advantages[0], assignCredit(credits["dr-grpo"], batch).advantages[0]); // Float64Array(1) [ 0.5 ] Float64Array(1) [ 0.5 ]
 */
export function prepareBatch(batch: CreditBatch, fields?: ReadonlySet<string>): IndexedBatch {
  checkRows(batch.rows, fields);
  return { rows: batch.rows, trajectories: batch.trajectories, index: indexBatch(batch) };
}

/**
 * Per-token advantages by the method, with the terms they are made of.
 *
 * @example
 * import { batchFromJson, credits } from "limbeck/credit";
 *
 * const mask = [1];
 * const rows = ["a", "b"].map((trajectory) => ({ task: "t", trajectory, step: 0, mask }));
 * const batch = batchFromJson({ rows, trajectories: { a: { outcome: 1 }, b: { outcome: 0 } } });
 * console.log(assignCredit(credits["dr-grpo"], batch).advantages); // [ Float64Array(1) [ 0.5 ], Float64Array(1) [ -0.5 ] ]
 */
export function assignCredit<Options extends OptionTable>(
  credit: CreditMethod<Options>,
  batch: CreditBatch | IndexedBatch,
  options: Partial<OptionValues<Options>> = {},
): CreditResult {
  const method = credit.info.title;
  const resolved = resolveOptions(credit.options, options, method);
  const reads = [...credit.needs, ...(Object.keys(credit.mayNeed ?? {}) as Need[])];
  const prepared = "index" in batch ? batch : prepareBatch(batch, fieldsRead(reads));
  requireNeeds(credit.needs, prepared, method);
  return sumTerms(prepared, credit.compute(prepared, resolved));
}

/** A[row][token] = mask * sum of weight * value. */
export function sumTerms(batch: IndexedBatch, computed: Terms): CreditResult {
  const { rows, index } = batch;
  const { terms, dropped = [] } = computed;
  const active = Object.values(terms).filter((term) => term.weight !== 0);
  const ofRows = active.flatMap(({ weight, perRow }) => (perRow === undefined ? [] : [{ weight, perRow }]));
  const ofTokens = active.flatMap(({ weight, perToken }) => (perToken === undefined ? [] : [{ weight, perToken }]));
  const left = new Set(dropped);
  const advantages = tokenArrays(rows);
  for (let at = 0; at < rows.length; at += 1) {
    const { mask } = entry(rows, at);
    if (left.has(at)) continue;
    const target = entry(advantages, at);
    let base = 0;
    for (const { weight, perRow } of ofRows) base += weight * real(perRow, at);
    if (index.tokens[at] === mask.length) target.fill(base);
    else for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) target[token] = base;
    for (const { weight, perToken } of ofTokens) addTokens(target, mask, weight, entry(perToken, at));
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
    if (mask[token] === 1) target[token] = real(target, token) + weight * real(values, token);
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
    const { mask } = entry(rows, at);
    if (perRow !== undefined) sum += whole(index.tokens, at) * Math.abs(real(perRow, at));
    const values = perToken?.[at];
    if (values === undefined) continue;
    for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) sum += Math.abs(real(values, token));
  }
  return (Math.abs(weight) * sum) / index.totalTokens;
}
