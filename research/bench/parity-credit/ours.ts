/** Our half of the parity check: the largest difference of a case from what published code gave. */
import { assignCredit } from "../../../packages/core/src/credit/assign.ts";
import { batchFromJson } from "../../../packages/core/src/credit/batch-json.ts";
import { extraRollouts } from "../../../packages/core/src/credit/dars.ts";
import { getCredit } from "../../../packages/core/src/credit/registry.ts";
import { adaptKl } from "../../../packages/core/src/objective/adaptive-kl.ts";
import { holderExponent } from "../../../packages/core/src/objective/holderpo.ts";
import { klInReward } from "../../../packages/core/src/objective/kl-reward.ts";
import type { ObjectiveMethod } from "../../../packages/core/src/objective/objective.ts";
import { allObjectives } from "../../../packages/core/src/objective/registry.ts";
import type { ParityCase } from "./cases.ts";
import type { FunctionCase, ObjectiveCase } from "./objective-cases.ts";
import { trainRows, type ObjectiveRow } from "./objective-rows.ts";

export interface Difference {
  readonly largestDifference: number;
  readonly rows: number;
  readonly values: number;
}

/** Advantages by batch, row and token; null where the published code cannot run. */
export type Advantages = readonly (readonly (readonly number[])[] | null)[];
export type Losses = readonly { readonly loss: number; readonly gradient: readonly (readonly number[])[] }[];

class Comparison {
  largest = 0;
  rows = 0;
  values = 0;

  add(ours: number, published: number | undefined): void {
    const known = published ?? Number.NaN;
    const difference = Math.abs(ours - known) / Math.max(1, Math.abs(known));
    if (!(difference <= this.largest)) this.largest = difference;
    this.values += 1;
  }

  get difference(): Difference {
    return { largestDifference: this.largest, rows: this.rows, values: this.values };
  }
}

export function compareCredit(one: ParityCase, batches: readonly unknown[], published: Advantages): Difference {
  const credit = getCredit(one.method);
  const found = new Comparison();
  for (const [at, json] of batches.entries()) {
    const expected = published[at];
    if (expected === null || expected === undefined) continue;
    const { advantages } = assignCredit(credit, batchFromJson(json), one.options);
    for (const [row, tokens] of advantages.entries()) {
      found.rows += 1;
      for (const [token, value] of tokens.entries()) found.add(value, expected[row]?.[token]);
    }
  }
  return found.difference;
}

/** These have one loss for a row, or follow code that has. */
const ROW_LOSSES: readonly string[] = ["gmpo", "holderpo", "advantage-regression"];

/** The loss, and its gradient at every token. */
export function compareObjective(
  one: ObjectiveCase,
  batches: readonly { readonly rows: readonly ObjectiveRow[] }[],
  published: Losses,
): Difference {
  const method: ObjectiveMethod = allObjectives[one.objective];
  const objective = method.create(one.options as never);
  const found = new Comparison();
  for (const [at, { rows }] of batches.entries()) {
    const live = rows.map((row) => Float64Array.from(row["live"] ?? []));
    const name = one.objective === "value" ? "value" : "logprob";
    const given = trainRows(rows, ROW_LOSSES.includes(one.objective));
    const { loss, weights } = objective.compute({ [name]: live }, { [name]: live }, given);
    found.add(loss, published[at]?.loss);
    for (const [row, gradient] of (weights[name] ?? []).entries()) {
      found.rows += 1;
      for (const [token, value] of gradient.entries()) found.add(value, published[at]?.gradient[row]?.[token]);
    }
  }
  return found.difference;
}

const FUNCTIONS: Readonly<Record<string, (numbers: readonly number[], options: never) => number>> = {
  "extraRollouts (dars)": ([accuracy = 0, count = 0], options) => extraRollouts(accuracy, count, options),
  "holderExponent (holderpo)": ([step = 0], options) => holderExponent(step, options),
  adaptKl: ([kl = 0, steps = 0], options) => adaptKl(0.2, { kl, steps }, options),
  klInReward: ([score = 0, old = 0, reference = 0], options) => {
    const row = {
      rewards: Float64Array.of(score),
      mask: Uint8Array.of(1),
      logprobs: Float64Array.of(old),
      reference: Float64Array.of(reference),
    };
    return klInReward(row, options)[0] ?? Number.NaN;
  },
};

export function compareFunction(one: FunctionCase, published: readonly number[]): Difference {
  const found = new Comparison();
  for (const [at, numbers] of one.inputs.entries()) {
    found.rows += 1;
    found.add(FUNCTIONS[one.method]?.(numbers, one.options as never) ?? Number.NaN, published[at]);
  }
  return found.difference;
}
