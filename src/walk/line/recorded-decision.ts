/** A decision as a step keeps it. */
import { unscored, type Step } from "../../trajectory/index.ts";
import type { Decision } from "../mind/agent.ts";
import type { LiveWalk } from "./runtime.ts";

/** What the agent saw when it decided. */
export interface Before {
  readonly observation: string;
  readonly stateKey: string;
}

type Recorded = { -readonly [Key in keyof Step]?: Step[Key] } & Pick<
  Step,
  "index" | "observation" | "stateKey" | "action"
>;

/** Every step of every episode passes here: plain assignments, as conditional spreads cost more than the rest of the loop. */
export function recordedDecision(
  walk: LiveWalk,
  { action, span, prompt, basePrompt, messages, reply, usage }: Decision,
  { observation, stateKey }: Before,
): Recorded {
  const recorded: Recorded = { index: walk.depth, observation, stateKey, action };
  if (span !== undefined) recorded.span = span;
  if (prompt !== undefined) recorded.prompt = prompt;
  if (basePrompt !== undefined) recorded.basePrompt = basePrompt;
  if (messages !== undefined) recorded.messages = messages;
  if (reply !== undefined) recorded.reply = reply;
  if (usage !== undefined) recorded.usage = usage;
  return recorded;
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
