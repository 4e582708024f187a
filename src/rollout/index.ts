/** Rollout: the loop between an environment and a policy, and the strategies that decide which episodes are walked. */
import { lookUp, resolveOptions } from "../base/index.ts";
import { allocate } from "./allocate.ts";
import { alternatives } from "./alternatives.ts";
import { archive } from "./archive.ts";
import { chain } from "./chain.ts";
import { counterfactual } from "./counterfactual.ts";
import { curriculum } from "./curriculum.ts";
import { echo } from "./echo.ts";
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
import { tree } from "./tree.ts";
import { treepo } from "./treepo.ts";
import type { Strategy, StrategyDefinition, StrategyNeed } from "./strategy.ts";

/** Every strategy. A new one is a file, a test and a line here; docs and command line follow. */
export const strategies = {
  allocate,
  alternatives,
  archive,
  chain,
  counterfactual,
  curriculum,
  echo,
  group,
  guided,
  latr,
  partial,
  prune,
  replay,
  retry,
  rose,
  salvage,
  share,
  tree,
  treepo,
} as const satisfies Record<string, StrategyDefinition>;

export type StrategyId = keyof typeof strategies;

/** The strategy of this name, or an error that lists the known ones. */
export function getStrategy(name: string): StrategyDefinition {
  return lookUp<StrategyDefinition>(strategies, name, "strategy");
}

/** A strategy ready to run, with its options checked. */
export function createStrategy(
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): Strategy & { readonly needs: readonly StrategyNeed[] } {
  const definition = getStrategy(name);
  const strategy = definition.create(resolveOptions(definition.options, options, name));
  return Object.assign(strategy, { needs: definition.needs });
}

export { spendingKinds, type Limits, type Purse, type Spending, type SpendingKind } from "./account.ts";
export { actionForms, plainForm, taggedForm, type ActionForm } from "./action-form.ts";
export type { Agent, Answer, BranchPoint, Decision, Mind, Moment, Spoken } from "./agent.ts";
export { contextAction, type ContextActionOptions } from "./context-action.ts";
export { createDemonstratorAgent } from "./demonstrator-agent.ts";
export { createHandover, type Handover, type HandoverOptions } from "./handover.ts";
export type { Corrector, Finished, Judge, Judgement, Pool, Reflection, Reflector } from "./judge.ts";
export type { EpisodeLimits } from "./limits.ts";
export { memoryPrompts, type MemoryOptions } from "./memory-prompts.ts";
export { strategyNeeds } from "./needs.ts";
export { appendOnly, withOpening, type Prompter, type Prompting } from "./prompter.ts";
export { getPrompting } from "./promptings.ts";
export { agentSettings, type Speech } from "./speech.ts";
export { rebuiltPrompts, type PastTurn, type RebuiltOptions } from "./rebuilt-prompts.ts";
export { rollOut, type RollOutOptions, type RollOutProgress, type RollOutResult, type Sink } from "./roll-out.ts";
export { roseWith, type TokenLikeness } from "./rose.ts";
export { defineStrategy, type Scope, type Strategy, type StrategyDefinition, type StrategyNeed } from "./strategy.ts";
export { createTextAgent, type TextAgentOptions } from "./text-agent.ts";
export { createTokenAgent } from "./token-agent.ts";
export type { TokenAgentOptions } from "./token-state.ts";
export type { ForkStart, Suspended, Walk, WalkStart } from "./walk.ts";
export { withSkills } from "./with-skills.ts";
