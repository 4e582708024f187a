/** Who supplies what a credit method needs: a provider, or the part of a training that has it anyway. */
import { EngineError } from "limbeck-base/base/errors";
import { needs, type Need } from "../../credit/needs.ts";

/**
 * In words, so that giving credit loads no provider; a test holds the names beside what the providers say themselves. The others are
 * part of a training anyway.
 */
const SUPPLIERS: Readonly<Record<Need, string>> = {
  turns: "the provider conversations",
  answerClusters: "the provider answer-clusters",
  answerLogprob: "the provider answer-probability",
  answerTeacher: "the provider answer-teacher",
  collision: "the provider collision",
  stateValues: "the provider continuations",
  actionValues: "the provider continuations",
  cutValues: "the provider cut-continuations",
  entropy: "the provider entropy",
  greedyScore: "the provider greedy-rollout",
  guidedSteps: "the provider guided-starts",
  withoutObservation: "the provider masked-observation",
  snapshots: "the provider memory-snapshots",
  previousTask: "the provider previous-policy",
  splitRewards: "the provider segment-rewards",
  segments: "the provider skill-segments",
  toolCalls: "the provider tool-references",
  toolSuccess: "the provider tool-references",
  values: "the provider value-head",
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
  return SUPPLIERS[need];
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
