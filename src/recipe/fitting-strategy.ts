/** The rollout strategy that a credit method is made for, where independent episodes would leave it nothing to compare. */
import type { OptionValue } from "../base/index.ts";
import type { CreditMethod, CreditId } from "../credit/index.ts";
import type { StrategyId } from "../rollout/index.ts";

export interface FittingStrategy {
  readonly name: StrategyId;
  /** Defaults of its options where they are not the strategy's own. */
  readonly options: Readonly<Record<string, OptionValue>>;
}

/** Trees whose siblings do different things: two that do the same only cancel out. */
const differentSteps: FittingStrategy = { name: "tree", options: { when: "disagreement" } };
/** Trees that part at fixed steps, so that every leaf is a plain sample and values are unbiased. */
const fixedSteps: FittingStrategy = { name: "tree", options: { when: "depth", depth: 3 } };

const FITTING: Readonly<Partial<Record<CreditId, FittingStrategy>>> = {
  "branch-grpo": fixedSteps,
  "logo-grpo": { name: "counterfactual", options: { of: "all", at: "random", alternatives: 3 } },
  mars2: differentSteps,
  portool: differentSteps,
  r3l: { name: "retry", options: {} },
  rose: { name: "rose", options: {} },
  // Segments are counts of tokens; an episode of the worlds here has about 60.
  "spo-tree": { name: "treepo", options: { segment: 16, firstMost: 4 } },
  "step-grpo": { name: "guided", options: {} },
  treepo: { name: "treepo", options: {} },
  "treeps-rag": { name: "tree", options: { when: "disagreement", frontier: "documents" } },
};

const GROUP: FittingStrategy = { name: "group", options: {} };

/**
 * A recipe that is made for a strategy of its own goes before the credit method.
 *
 * @example
 * console.log(fittingStrategy("grpo").name, fittingStrategy("spo-tree")); // group { name: "treepo", options: { segment: 16, firstMost: 4 } }
 */
export function fittingStrategy(
  credit: string | CreditMethod,
  recipe: { readonly strategy?: FittingStrategy } = {},
): FittingStrategy {
  return recipe.strategy ?? (typeof credit === "string" ? FITTING[credit as CreditId] : undefined) ?? GROUP;
}
