/** Who supplies what a credit method needs: a provider, or the part of a training that has it anyway. */
import { EngineError } from "../../base/errors.ts";
import { needs, type Need } from "../../credit/needs.ts";
import type { ProviderId } from "./index.ts";

/** By the name alone, so that giving credit loads no provider; a test holds it beside what the providers say themselves. */
const PROVIDERS: Readonly<Partial<Record<Need, ProviderId>>> = {
  turns: "conversations",
  answerClusters: "answer-clusters",
  answerLogprob: "answer-probability",
  answerTeacher: "answer-teacher",
  collision: "collision",
  stateValues: "continuations",
  actionValues: "continuations",
  cutValues: "cut-continuations",
  greedyScore: "greedy-rollout",
  guidedSteps: "guided-starts",
  withoutObservation: "masked-observation",
  snapshots: "memory-snapshots",
  previousTask: "previous-policy",
  splitRewards: "segment-rewards",
  segments: "skill-segments",
  toolCalls: "tool-references",
  toolSuccess: "tool-references",
  values: "value-head",
};

/** Needs without a provider. */
const ANYWAY: Readonly<Partial<Record<Need, string>>> = {
  stepRewards: "an environment that scores steps",
  states: "an environment with state keys",
  oldLogprobs: "a policy that scores tokens",
  episodeTeacher: "the recipe opid, which analyses episodes and scores them again",
  stepTeacher: "the recipe opid, which analyses episodes and scores them again",
  success: "an environment or a judge that says so",
  truncation: "a rollout with a budget of tokens or steps",
  promptLengths: "a policy that shows its tokens",
  branches: "a rollout strategy that branches; a training picks one",
};

export function whoSupplies(need: Need): string {
  const provider = PROVIDERS[need];
  return provider === undefined ? (ANYWAY[need] ?? "nobody yet") : `the provider ${provider}`;
}

/** An unmet need of a credit method, with who supplies it in a training; any other error as it is. */
export function withSupplier(error: unknown): unknown {
  if (!(error instanceof EngineError) || error.code !== "needs-unmet") return error;
  const need = error.details["need"];
  if (typeof need !== "string" || !Object.hasOwn(needs, need)) return error;
  const supplier = whoSupplies(need as Need);
  const message = `${error.message} In a training (limbeck train --credit NAME) it comes from ${supplier}.`;
  return new EngineError(error.code, message, { details: { ...error.details, supplier }, cause: error });
}
