/** What strategies may need beyond an environment and an agent, checked before any work. */
import { EngineError } from "../../base/index.ts";
import type { Agent } from "../mind/agent.ts";
import type { Corrector, Judge, Pool, Reflector } from "../judge.ts";
import type { StrategyNeed } from "./strategy.ts";

export const strategyNeeds = {
  corrector: "a corrector: who proposes a better action for a step",
  fork: "a world that can be copied",
  judge: "a judge: who scores episodes or steps",
  pool: "a pool: where finished episodes of other runs come from",
  reflector: "a reflector: who looks back at an episode and says what to do differently",
  rough: "a policy that can be copied in fewer bits: a model in this process with float32 weights",
  scorer: "a policy that scores given tokens",
  tokens: "a policy with exact tokens",
} as const satisfies Record<StrategyNeed, string>;

interface Given {
  readonly agent: Agent;
  readonly strategy: { readonly needs?: readonly StrategyNeed[] };
  readonly judge?: Judge;
  readonly reflector?: Reflector;
  readonly corrector?: Corrector;
  readonly pool?: Pool;
}

export function checkNeeds({ agent, strategy, judge, reflector, corrector, pool }: Given): void {
  const there: Record<StrategyNeed, boolean> = {
    corrector: corrector !== undefined,
    // Only trying tells: a world that cannot be copied refuses the first fork.
    fork: true,
    judge: judge !== undefined,
    pool: pool !== undefined,
    reflector: reflector !== undefined,
    rough: agent.rough !== undefined,
    scorer: agent.scorer !== undefined,
    tokens: agent.exact,
  };
  const missing = (strategy.needs ?? []).filter((need) => !there[need]);
  if (missing.length === 0) return;
  throw new EngineError(
    "needs-unmet",
    `The strategy needs ${missing.map((need) => strategyNeeds[need]).join(", and ")}; give it, or choose another strategy.`,
    { details: { missing } },
  );
}
