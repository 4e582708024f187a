/** Reading rows and statistics with errors that name row and field. */
import { EngineError } from "limbeck-base/base/errors";
import type { StatisticName, Statistics, TrainRow } from "limbeck-policy/policy/objective";

/** Fields of a row that hold one number per token. */
export type TokenField =
  | "advantages"
  | "clipScales"
  | "oldLogprobs"
  | "oldValues"
  | "referenceLogprobs"
  | "returns"
  | "rolloutLogprobs"
  | "teacherLogprobs"
  | "weights";

const WAY_OUT: Readonly<Record<TokenField, string>> = {
  advantages: "Assign credit first.",
  clipScales: "Give one factor per token, or none.",
  oldLogprobs: "Keep the log-probabilities of the sampler, or score the rows before the update.",
  oldValues: "Score the rows with the value head before the update.",
  referenceLogprobs: "Score the rows with the reference policy first.",
  returns: "Compute returns together with the advantages.",
  rolloutLogprobs: "Keep the log-probabilities that the sampler reported.",
  teacherLogprobs: "Score the rows with the teacher first.",
  weights: "Give one weight per token, or none.",
};

/** A field of a row: there, as long as the row, and finite where the row is trained. Elsewhere it may hold anything. */
export function tokenField(
  id: string,
  rows: readonly TrainRow[],
  at: number,
  field: TokenField,
  trained: Int32Array,
): Float64Array {
  const row = rows[at] as TrainRow;
  const values = row[field];
  if (values === undefined) throw badRow(at, field, `${id}: row ${at} has no ${field}. ${WAY_OUT[field]}`);
  if (values.length !== row.ids.length) {
    const lengths = `has ${values.length} ${field} for ${row.ids.length} tokens`;
    throw badRow(at, field, `${id}: row ${at} ${lengths}; arrays are aligned with the row's ids.`);
  }
  for (const token of trained) {
    if (Number.isFinite(values[token])) continue;
    const where = `row ${at}, token ${token}: ${field} is ${values[token]}`;
    throw badRow(at, field, `${id}: ${where}; trained tokens need finite numbers. Mask the token or mend the value.`);
  }
  return values;
}

/** One array of a statistic per row, as long as the row. */
export function statistic(
  id: string,
  held: Statistics,
  name: StatisticName,
  rows: readonly TrainRow[],
): Float64Array[] {
  const arrays = held[name];
  if (arrays === undefined) {
    throw new EngineError("missing-statistic", `${id} needs the statistic "${name}"; use a learner that computes it.`, {
      details: { objective: id, statistic: name },
    });
  }
  if (arrays.length !== rows.length) {
    throw new EngineError("bad-row", `${id}: there are ${rows.length} rows and ${arrays.length} arrays of "${name}".`);
  }
  rows.forEach((row, at) => {
    const width = name === "candidates" ? (row.candidates?.count ?? 0) : 1;
    const lengths = `${row.ids.length} tokens and ${arrays[at]?.length} values of "${name}"`;
    if (arrays[at]?.length !== row.ids.length * width) throw badRow(at, name, `${id}: row ${at} has ${lengths}.`);
  });
  return [...arrays];
}

/** Positions that are trained. The first token is foretold by nothing. */
export function trainedPositions(id: string, rows: readonly TrainRow[]): Int32Array[] {
  return rows.map(({ ids, mask }, at) => {
    if (mask.length !== ids.length) {
      throw badRow(
        at,
        "mask",
        `${id}: row ${at} has ${ids.length} tokens and a mask of ${mask.length}; they must be equal.`,
      );
    }
    const positions: number[] = [];
    for (let token = 1; token < mask.length; token += 1) if (mask[token] === 1) positions.push(token);
    return Int32Array.from(positions);
  });
}

/** Those of the positions at which the row's teacher has spoken. */
export function taughtPositions({ teacherMask }: TrainRow, positions: Int32Array): Int32Array {
  return teacherMask === undefined ? positions : positions.filter((token) => teacherMask[token] === 1);
}

/** The error for a row, with the row and the field in its details. */
export function badRow(row: number, field: string, message: string): EngineError {
  return new EngineError("bad-row", message, { details: { row, field } });
}

// What objectives with one loss for a whole row share.

/** Weights of single tokens have no meaning there; always true otherwise. */
export function refuseTokenWeights(id: string, row: TrainRow, at: number): true {
  if (row.weights === undefined) return true;
  throw badRow(at, "weights", `${id} has one loss for a row; leave out the weights of row ${at}.`);
}

/** The fields of a row that a loss reads. `bypass`: the sampler is the old policy, where it gave log-probabilities. */
export function tokenFields<Field extends TokenField>(
  { id, fields }: { readonly id: string; readonly fields: readonly Field[] },
  rows: readonly TrainRow[],
  at: number,
  trained: Int32Array,
  bypass = false,
): Record<Field, Float64Array> {
  const entries = fields.map((field) => {
    const source = bypass && field === "oldLogprobs" && rows[at]?.rolloutLogprobs ? "rolloutLogprobs" : field;
    return [field, tokenField(id, rows, at, source, trained)];
  });
  return Object.fromEntries(entries) as Record<Field, Float64Array>;
}

/** What was counted, as means over the trained tokens. */
export function tokenMeans(
  { metrics }: { readonly metrics: readonly string[] },
  counts: Float64Array,
  tokens: number,
): Record<string, number> {
  const means = metrics.map((metric, at) => [metric, tokens === 0 ? 0 : (counts[at] as number) / tokens]);
  return { trainedTokens: tokens, ...Object.fromEntries(means) };
}
