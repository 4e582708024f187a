/** A decision as a step keeps it. */
import { unscored, type Step } from "../trajectory/index.ts";
import type { Decision } from "./agent.ts";
import type { LiveWalk } from "./runtime.ts";

/** What the agent saw when it decided. */
export interface Before {
  readonly observation: string;
  readonly stateKey: string;
}

export function recordedDecision(
  walk: LiveWalk,
  decision: Decision,
  { observation, stateKey }: Before,
): Pick<Step, "index" | "observation" | "stateKey" | "action"> & Partial<Step> {
  const { action, span, prompt, basePrompt, messages, reply, usage } = decision;
  return {
    index: walk.depth,
    observation,
    stateKey,
    action,
    ...(span === undefined ? {} : { span }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(basePrompt === undefined ? {} : { basePrompt }),
    ...(messages === undefined ? {} : { messages }),
    ...(reply === undefined ? {} : { reply }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** A decision that was never carried out: a step that did nothing, so that no sampled token is lost. */
export function unfinishedStep(walk: LiveWalk, decision: Decision, before: Before): Step {
  return {
    ...recordedDecision(walk, decision, before),
    valid: false,
    reward: unscored("never carried out"),
    info: { ...decision.info, unfinished: true },
  };
}
