/**
 * Two losses of the same size: L = L_tuning + weight L_teaching, the weight from running averages of both that this
 * batch moves. No gradient flows through the weight: it is read from `frozen`.
 */
import { balancedWeight, movedAverage, type Averages, type BalanceOptions } from "../distill/loss-balance.ts";
import type { Objective } from "limbeck-policy/policy/objective";
import { combine } from "./combine.ts";

export interface BalancedParts {
  readonly tuning: Objective;
  readonly teaching: Objective;
  readonly averages: Averages;
  readonly options: BalanceOptions;
}

/** The moved averages are among the metrics, so that the next batch can begin with them. */
export function balanceObjectives({ tuning, teaching, averages, options }: BalancedParts): Objective {
  return {
    needs: [...new Set([...tuning.needs, ...teaching.needs])],
    compute: (live, frozen, rows) => {
      const lossOf = (objective: Objective): number | null => {
        const { loss, metrics } = objective.compute(frozen, frozen, rows);
        return metrics?.["trainedTokens"] === 0 ? null : loss;
      };
      const moved: Averages = {
        tuning: movedAverage(averages.tuning, lossOf(tuning), options.decay),
        teaching: movedAverage(averages.teaching, lossOf(teaching), options.decay),
      };
      const weight = balancedWeight(moved, options);
      const parts = [
        { name: "tuning", weight: 1, objective: tuning },
        { name: "teaching", weight, objective: teaching },
      ];
      const { metrics, ...result } = combine(parts).compute(live, frozen, rows);
      const known = Object.entries({ averageTuning: moved.tuning, averageTeaching: moved.teaching }).flatMap(
        ([name, value]) => (value === null ? [] : [[name, value] as const]),
      );
      return { ...result, metrics: { ...metrics, balance: weight, ...Object.fromEntries(known) } };
    },
  };
}
