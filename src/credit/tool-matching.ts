/** Predicted tool calls against reference calls: who is matched with whom, and what each earns. */
import { greedyAssignment, optimalAssignment, transportPlan } from "../base/assignment.ts";
import { callSimilarity } from "../trajectory/call-similarity.ts";
import type { CalledTool } from "./row.ts";

export interface MatchOptions {
  readonly matching: string;
  readonly unmatched: number;
  readonly regularisation: number;
}

/** Reward of each predicted call; `unmatched` for those without a reference call. */
export function matchRewards(
  predicted: readonly CalledTool[],
  gold: readonly CalledTool[],
  options: MatchOptions,
): number[] {
  const similarity = predicted.map((call) => gold.map((other) => callSimilarity(call, other)));
  if (options.matching === "transport") return transported(similarity, options.regularisation);
  const partner = options.matching === "optimal" ? optimalAssignment(similarity) : greedyAssignment(similarity);
  return partner.map((column, row) => {
    const value = column === -1 ? 0 : (similarity[row]?.[column] ?? 0);
    return value > 0 ? value : options.unmatched;
  });
}

/** A call earns what its mass meets; masses are equal. */
function transported(similarity: readonly (readonly number[])[], regularisation: number): number[] {
  const plan = transportPlan(similarity, regularisation);
  return similarity.map((row, at) => row.reduce((sum, value, column) => sum + value * (plan[at]?.[column] ?? 0), 0));
}
