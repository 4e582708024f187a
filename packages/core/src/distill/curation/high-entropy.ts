/** DART: only the steps at which the policy was least sure are learned from. */
import { groupedBy } from "limbeck-base/base/grouped-by";

export interface StepEntropy {
  /** Steps are compared within their group. */
  readonly group: string;
  /** Mean entropy of the step's tokens, in nats; undefined for a step without any. */
  readonly entropy: number | undefined;
}

/**
 * The places of the steps that are kept: of every group the share with the highest entropy, at least one. Equal entropies
 * at the border are all kept, so that the order of the steps decides nothing.
 */
export function highEntropySteps(steps: readonly StepEntropy[], share: number): Set<number> {
  const known = steps.flatMap(({ group, entropy }, at) => (entropy === undefined ? [] : [{ group, entropy, at }]));
  const groups = groupedBy(known, ({ group }) => group);
  const kept = new Set<number>();
  for (const own of groups.values()) {
    const sorted = own.map(({ entropy }) => entropy).sort((one, other) => other - one);
    const least = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
    for (const { at, entropy } of own) if (entropy >= least) kept.add(at);
  }
  return kept;
}
