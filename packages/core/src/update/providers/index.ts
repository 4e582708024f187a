/** Providers of the signals that credit methods need beyond outcomes, by name, and which of them a method gets. */
import type { OptionTable, OptionValue } from "limbeck-base/base/option-table";
import type { CreditMethod } from "../../credit/credit.ts";
import type { Need } from "../../credit/needs.ts";
import { answerClusters } from "./answer-clusters.ts";
import { answerProbability } from "./answer-probability.ts";
import { answerTeacher } from "./answer-teacher.ts";
import { collision } from "./collision.ts";
import { continuations } from "./continuations.ts";
import { conversations } from "./conversations.ts";
import { cutContinuations } from "./cut-continuations.ts";
import { entropy } from "./entropy.ts";
import { greedyRollout } from "./greedy-rollout.ts";
import { guidedStarts } from "./guided-starts.ts";
import { maskedObservation } from "./masked-observation.ts";
import { memorySnapshots } from "./memory-snapshots.ts";
import { previousPolicy } from "./previous-policy.ts";
import type { Provider } from "../context.ts";
import { segmentRewards } from "./segment-rewards.ts";
import { skillSegments } from "./skill-segments.ts";
import { toolReferences } from "./tool-references.ts";
import { valueHead } from "./value-head.ts";

/** Every provider. A new one is a file, a test and a line here. They run in this order. */
export const providers = {
  // Joins rows, so everything else sees the joined ones.
  conversations,
  "answer-clusters": answerClusters,
  "answer-probability": answerProbability,
  "answer-teacher": answerTeacher,
  collision,
  continuations,
  "cut-continuations": cutContinuations,
  entropy,
  "greedy-rollout": greedyRollout,
  "guided-starts": guidedStarts,
  "masked-observation": maskedObservation,
  "memory-snapshots": memorySnapshots,
  "previous-policy": previousPolicy,
  "segment-rewards": segmentRewards,
  "skill-segments": skillSegments,
  "tool-references": toolReferences,
  "value-head": valueHead,
} as const satisfies Record<string, unknown>;
export type ProviderId = keyof typeof providers;

const entries = Object.entries(providers) as readonly (readonly [ProviderId, Provider])[];

/**
 * The providers that a credit method gets under these options of its own.
 *
 * @example
 * import { getCredit } from "limbeck/credit";
 *
 * console.log(providersFor(getCredit("remax"), {})); // [ "greedy-rollout" ]
 */
export function providersFor(
  method: Pick<CreditMethod, "needs" | "wants">,
  options: Readonly<Record<string, OptionValue>>,
): readonly ProviderId[] {
  return suppliersOf([...method.needs, ...(method.wants?.(options) ?? [])]);
}

export function suppliersOf(wanted: readonly Need[]): ProviderId[] {
  return entries.filter(([, { supplies }]) => supplies.some((need) => wanted.includes(need))).map(([id]) => id);
}

/** Settings of the providers that a method may get, whatever its options, as `PROVIDER.NAME`. */
export function providerTable({ needs, mayNeed = {} }: Pick<CreditMethod, "needs" | "mayNeed">): OptionTable {
  return Object.fromEntries(
    suppliersOf([...needs, ...(Object.keys(mayNeed) as Need[])]).flatMap((id) =>
      Object.entries((providers[id] as Provider).options).map(([name, spec]) => [`${id}.${name}`, spec]),
    ),
  );
}
