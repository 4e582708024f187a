/** PANDO's measures of how an episode went: repeated actions, detours, and use of the provider's cache. */
import type { Step, Usage } from "../../trajectory/index.ts";

/** Repeated actions that changed nothing, over max(1, T - 1). */
export function actionRepetition(steps: readonly Pick<Step, "action" | "stateKey">[]): number {
  let repeated = 0;
  for (const [at, step] of steps.entries()) {
    const last = steps[at - 1];
    if (last !== undefined && last.action === step.action && last.stateKey === step.stateKey) repeated += 1;
  }
  return repeated / Math.max(1, steps.length - 1);
}

/** T / T_ref - 1 against the shortest success known of the task; null where there is none. */
export function stepOverhead(steps: number, reference: number | undefined): number | null {
  return reference === undefined || reference === 0 ? null : steps / reference - 1;
}

/** Cached prompt tokens over all of them; null where nobody counted. */
export function promptCacheUse(usages: readonly Pick<Usage, "promptTokens" | "cachedTokens">[]): number | null {
  const total = usages.reduce((sum, { promptTokens = 0 }) => sum + promptTokens, 0);
  return total === 0 ? null : usages.reduce((sum, { cachedTokens = 0 }) => sum + cachedTokens, 0) / total;
}
