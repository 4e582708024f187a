/** Rewards to per-token advantages, by any method. */
import type { OptionValues } from "limbeck-base/base/option-table";
import { assignCredit } from "limbeck-core/credit/assign";
import { batchFromTrajectories } from "limbeck-core/credit/from-trajectories";
import { getCredit, type CreditId, type allCredits } from "limbeck-core/credit/registry";
import type { CreditBatch } from "limbeck-core/credit/row";
import type { CreditMethod, CreditResult } from "limbeck-core/credit/credit";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { withSupplier } from "limbeck-core/update/providers/who-supplies";

export interface CreditOptions<Name> {
  /** A credit method by name, or one of your own. Default: "grpo". */
  readonly method?: Name | CreditMethod;
  /** What is given credit: trajectories, or rows of your own. Unscored ones are left out. */
  readonly of: readonly Trajectory[] | CreditBatch;
  /** Options of the method. */
  readonly options?: Name extends CreditId
    ? Partial<OptionValues<(typeof allCredits)[Name]["options"]>>
    : Readonly<Record<string, unknown>>;
}

export interface Credited extends CreditResult {
  /** The rows that the advantages belong to, in their order. */
  readonly batch: CreditBatch;
}

/**
 * Gives every token its advantage: one array for each row, as long as the row's mask.
 *
 * @example
 * const { trajectories } = await rollout({ env: "household", tasks: 1, group: 2, maxSteps: 2 });
 * const { advantages, batch } = credit({ method: "gigpo", of: trajectories, options: { gamma: 0.9 } });
 * console.log(advantages.length === batch.rows.length); // true
 */
export function credit<const Name extends string = "grpo">({ method, of, options }: CreditOptions<Name>): Credited {
  const batch = "rows" in of ? of : batchFromTrajectories(of);
  const chosen: CreditMethod = typeof method === "object" ? method : getCredit(method ?? "grpo");
  try {
    return { ...assignCredit(chosen, batch, (options ?? {}) as never), batch };
  } catch (error) {
    // The error names what supplies the missing columns.
    throw withSupplier(error);
  }
}
