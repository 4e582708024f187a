/** The rollout strategy that a credit method is made for, where independent episodes would leave it nothing to compare. */
import type { OptionValue } from "../../base/index.ts";
import type { CreditId } from "../../credit/index.ts";
import type { StrategyId } from "../../rollout/index.ts";

export interface FittingStrategy {
  readonly name: StrategyId;
  /** Defaults of its options where they are not the strategy's own. */
  readonly options: Readonly<Record<string, OptionValue>>;
}

/** Binary trees that part at each of the first steps, until the group is full. */
const everyStep: FittingStrategy = { name: "tree", options: { when: "every" } };

const FITTING: Readonly<Partial<Record<CreditId, FittingStrategy>>> = {
  "branch-grpo": { name: "tree", options: { when: "depth", depth: 2 } },
  "logo-grpo": { name: "counterfactual", options: { of: "all", at: "random", alternatives: 3 } },
  mars2: { name: "tree", options: { when: "entropy" } },
  portool: everyStep,
  r3l: { name: "retry", options: {} },
  rose: { name: "rose", options: {} },
  "spo-tree": everyStep,
  "step-grpo": { name: "guided", options: {} },
  // Answers of the worlds here are a few tokens long; published segments are made for long thoughts.
  treepo: { name: "treepo", options: { segment: 24, firstMost: 4 } },
  "treeps-rag": everyStep,
};

const GROUP: FittingStrategy = { name: "group", options: {} };

export function fittingStrategy(credit: string): FittingStrategy {
  return FITTING[credit as CreditId] ?? GROUP;
}
