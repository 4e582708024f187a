/** Batches and results of credit methods, in the shape that tests read best. */
import { assignCredit } from "../../packages/core/src/credit/assign.ts";
import { batchFromJson } from "../../packages/core/src/credit/batch-json.ts";
import type { CreditMethod } from "../../packages/core/src/credit/credit.ts";
import { answers, episodes, forks } from "../../packages/core/src/credit/examples.ts";
import type { Json } from "../../packages/base/src/base/json.ts";

export { answers, episodes, forks };

type Options = Readonly<Record<string, number | string | boolean | null>>;

export function assign(credit: CreditMethod, batch: Json, options: Options = {}) {
  return assignCredit(credit, batchFromJson(batch), options);
}

/** Advantages rounded to 6 decimals, -0 as 0; an array for each row. */
export function advantages(credit: CreditMethod, batch: Json, options: Options = {}): number[][] {
  return assign(credit, batch, options).advantages.map((values) => Array.from(values, round));
}

/** The same where every row has one token. */
export function rowAdvantages(credit: CreditMethod, batch: Json, options: Options = {}): number[] {
  return advantages(credit, batch, options).map(([first = Number.NaN]) => first);
}

export function round(value: number): number {
  return Number(value.toFixed(6)) + 0;
}

/** Several tasks in one batch; ids of trajectories must differ. */
export function together(...batches: readonly Json[]): Json {
  const all = batches as readonly {
    readonly rows: readonly Json[];
    readonly trajectories: Readonly<Record<string, Json>>;
  }[];
  return {
    rows: all.flatMap(({ rows }) => rows),
    trajectories: Object.assign({}, ...all.map(({ trajectories }) => trajectories)) as Record<string, Json>,
  };
}

/** The same steps without reward or state, n of them. */
export function plainSteps(count: number): Record<string, never>[] {
  return Array.from({ length: count }, () => ({}));
}
