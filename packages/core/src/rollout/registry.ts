/** The strategies by name, in two tiers. */
import { bothTiers, lookUp } from "limbeck-base/base/registry";
import { resolveOptions } from "limbeck-base/base/options";
import type { ReadyStrategy, StrategyDefinition, StrategyNeed } from "./strategy.ts";
import { allocate } from "./allocate.ts";
import { alternatives } from "./alternatives.ts";
import { archive } from "./archive.ts";
import { chain } from "./chain.ts";
import { contrastive } from "./contrastive.ts";
import { counterfactual } from "./counterfactual.ts";
import { curriculum } from "./curriculum.ts";
import { echo } from "./echo.ts";
import { fr3e } from "./fr3e.ts";
import { group } from "./group.ts";
import { guided } from "./guided.ts";
import { latr } from "./latr.ts";
import { partial } from "./partial.ts";
import { prune } from "./prune.ts";
import { replay } from "./replay.ts";
import { retry } from "./retry.ts";
import { rose } from "./rose.ts";
import { salvage } from "./salvage.ts";
import { share } from "./share.ts";
import { staged } from "./staged.ts";
import { tree } from "./tree.ts";
import { treepo } from "./treepo.ts";

/** Those that follow code, a paper or common practice. A new one is a file, a test and a line here. */
export const strategies = {
  allocate,
  counterfactual,
  fr3e,
  echo,
  curriculum,
  contrastive,
  archive,
  group,
  latr,
  partial,
  replay,
  retry,
  rose,
  tree,
  treepo,
} as const satisfies Record<string, StrategyDefinition>;

/** Those that follow an abstract or a third party's reading (`info.confidence`): `limbeck/experimental`. Names find them all the same. */
export const experimentalStrategies = {
  alternatives,
  chain,
  guided,
  prune,
  salvage,
  share,
  staged,
} as const satisfies Record<string, StrategyDefinition>;

export const allStrategies = bothTiers(strategies, experimentalStrategies);

/**
 * The strategy of this name, or an error that lists the known ones.
 *
 * @example
 * console.log(Object.keys(getStrategy("group").options)); // [ "size" ]
 */
export function getStrategy(name: string): StrategyDefinition {
  return lookUp<StrategyDefinition>(allStrategies, name, "strategy");
}

/**
 * A strategy ready to run, with its options checked.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, strategy: createStrategy("group", { size: 3 }) });
 * console.log(trajectories.length); // 3
 */
export function createStrategy(
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): ReadyStrategy & { readonly needs: readonly StrategyNeed[] } {
  const definition = getStrategy(name);
  const strategy = definition.create(resolveOptions(definition.options, options, name));
  return Object.assign(strategy, { needs: definition.needs, effect: definition.effect });
}
