/**
 * Skill1: one outcome, three credits. The skill's utility moves slowly with the outcomes of its uses, the choice of a skill
 * is credited with its utility (low frequency), what was distilled with how far the outcome went beyond the best that was
 * at hand (high frequency). Utilities are folded by `library/statistics.ts`.
 */

const SELECTION_WEIGHT = 0.3;
const DISTIL_WEIGHT = 0.3;

/**
 * 0.3 U of the chosen skill; undefined where there was nothing to choose from.
 *
 * @example
 * console.log(selectionCredit(0.5), selectionCredit(undefined)); // 0.15 undefined
 */
export function selectionCredit(chosenUtility: number | undefined, weight = SELECTION_WEIGHT): number | undefined {
  return chosenUtility === undefined ? undefined : weight * chosenUtility;
}

/**
 * 0.3 (R - Uhat), Uhat the highest utility among the candidates, or their mean; 0 in an empty library.
 *
 * @example
 * console.log(distilCredit(1, [0.5, 0.25]), distilCredit(1, [])); // 0.15 0.3
 */
export function distilCredit(
  reward: number,
  candidateUtilities: readonly number[],
  { weight = DISTIL_WEIGHT, baseline = "max" }: { readonly weight?: number; readonly baseline?: "max" | "mean" } = {},
): number {
  if (candidateUtilities.length === 0) return weight * reward;
  const total = candidateUtilities.reduce((sum, utility) => sum + utility, 0);
  const best = baseline === "max" ? Math.max(...candidateUtilities) : total / candidateUtilities.length;
  return weight * (reward - best);
}

/**
 * sim + U + c sqrt(ln(1 + N) / (1 + uses)): skills that were rarely tried get their chance while a policy trains.
 *
 * @example
 * const [old, fresh] = [{ similarity: 0.5, utility: 0.2, uses: 99 }, { similarity: 0.5, utility: 0.2, uses: 0 }];
 * console.log(explorationScore(fresh, 100, 1) > explorationScore(old, 100, 1)); // true
 */
export function explorationScore(
  skill: { readonly similarity: number; readonly utility: number; readonly uses: number },
  totalUses: number,
  bonus: number,
): number {
  return skill.similarity + skill.utility + bonus * Math.sqrt(Math.log(1 + totalUses) / (1 + skill.uses));
}
