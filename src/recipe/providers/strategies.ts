/** The rollout strategy that a credit method is made for, where independent episodes would leave it nothing to compare. */
import type { OptionValue } from "../../base/index.ts";
import type { CreditId } from "../../credit/index.ts";
import type { StrategyId } from "../../rollout/index.ts";

export interface FittingStrategy {
  readonly name: StrategyId;
  /** Defaults of its options where they are not the strategy's own. */
  readonly options: Readonly<Record<string, OptionValue>>;
}

/** Trees that part where the policy is unsure: siblings that say the same would only cancel out. */
const unsureSteps: FittingStrategy = { name: "tree", options: { when: "entropy" } };

const FITTING: Readonly<Partial<Record<CreditId, FittingStrategy>>> = {
  "branch-grpo": { name: "tree", options: { when: "depth", depth: 3 } },
  "logo-grpo": { name: "counterfactual", options: { of: "all", at: "random", alternatives: 3 } },
  mars2: unsureSteps,
  portool: unsureSteps,
  r3l: { name: "retry", options: {} },
  rose: { name: "rose", options: {} },
  "spo-tree": unsureSteps,
  "step-grpo": { name: "guided", options: {} },
  // Answers of the worlds here are a few tokens long; published segments are made for long thoughts.
  treepo: { name: "treepo", options: { segment: 24, firstMost: 4 } },
  "treeps-rag": unsureSteps,
};

const GROUP: FittingStrategy = { name: "group", options: {} };

export function fittingStrategy(credit: string): FittingStrategy {
  return FITTING[credit as CreditId] ?? GROUP;
}
