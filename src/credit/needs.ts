/**
 * What a method may need beyond outcomes. A need is a type (what the rows then hold), a check, and a sentence that says
 * who provides it.
 */
import { EngineError } from "../base/index.ts";
import type { CreditBatch, CreditRow, RowLogprobs, Turn } from "./credit.ts";
import { rowName } from "./row-name.ts";
import type { RowSignals } from "./signals.ts";

/** What a row is known to hold once the need is met. */
export interface Supplies {
  readonly stepRewards: { readonly reward: number };
  readonly states: { readonly state: string };
  readonly oldLogprobs: { readonly logprobs: RowLogprobs & { readonly old: Float64Array } };
  readonly episodeTeacher: { readonly logprobs: RowLogprobs & { readonly episodeTeacher: Float64Array } };
  readonly stepTeacher: { readonly logprobs: RowLogprobs & { readonly stepTeacher: Float64Array } };
  readonly values: { readonly values: Float64Array };
  readonly greedyScore: { readonly greedyScore: number };
  readonly turns: { readonly turns: readonly Turn[] };
  readonly success: object;
  readonly truncation: { readonly truncated: boolean };
  /** Rows that say `gold: null` are let through without it. */
  readonly answerTeacher: object;
  readonly answerLogprob: object;
  /** First steps have no observation before them. */
  readonly withoutObservation: object;
  readonly previousTask: { readonly logprobs: RowLogprobs & { readonly previousTask: Float64Array } };
  readonly collision: { readonly logprobs: RowLogprobs & { readonly collision: Float64Array } };
  readonly answerClusters: Signal<"cluster">;
  readonly toolCalls: Signal<"calls" | "goldCalls">;
  readonly toolSuccess: Signal<"toolSucceeded">;
  readonly cutValues: Signal<"cuts">;
  readonly stateValues: Signal<"stateValue">;
  readonly actionValues: Signal<"actionValue">;
  readonly snapshots: object;
  readonly splitRewards: Signal<"split">;
  readonly segments: Signal<"segment">;
  readonly guidedSteps: Signal<"guidedSteps">;
  readonly promptLengths: Signal<"promptTokens">;
  /** A forest without a branch is a forest too. */
  readonly branches: object;
}

type Signal<Name extends keyof RowSignals> = {
  readonly signals: RowSignals & { readonly [Key in Name]-?: NonNullable<RowSignals[Key]> };
};

export type Need = keyof Supplies;

interface NeedFacts {
  /** The field of the batch form. */
  readonly field: string;
  readonly what: string;
  readonly recipe: string;
  readonly holds: (row: CreditRow, batch: CreditBatch) => boolean;
}

export const needs: Readonly<Record<Need, NeedFacts>> = {
  stepRewards: {
    field: "reward",
    what: "a reward for each step (0 where the environment gives none before the end)",
    recipe: "any recipe whose environment scores steps, such as gigpo",
    holds: (row) => row.reward !== undefined,
  },
  states: {
    field: "state",
    what: "the state each step started from, so that equal states can be compared",
    recipe: "any recipe that rolls out an environment with state keys, such as gigpo",
    holds: (row) => row.state !== undefined,
  },
  oldLogprobs: {
    field: "logprobs.old",
    what: "log-probabilities of the response's tokens under the policy before the update",
    recipe: "any recipe with a policy that scores tokens, such as opid",
    holds: (row) => row.logprobs?.old !== undefined,
  },
  episodeTeacher: {
    field: "logprobs.episodeTeacher",
    what: "log-probabilities of the same tokens with the episode's skill in the prompt",
    recipe: "limbeck train --recipe opid, which analyses episodes and scores them again",
    holds: (row) => row.logprobs?.episodeTeacher !== undefined,
  },
  stepTeacher: {
    field: "logprobs.stepTeacher",
    what: "log-probabilities of the same tokens with the step's skill in the prompt",
    recipe: "limbeck train --recipe opid, which analyses episodes and scores them again",
    holds: (row) => row.logprobs?.stepTeacher !== undefined,
  },
  values: {
    field: "values",
    what: "a value estimate for each token",
    recipe: "limbeck train, whose provider value-head trains one beside the policy",
    holds: (row) => row.values !== undefined,
  },
  greedyScore: {
    field: "greedyScore",
    what: "the score of one greedy rollout of the same task",
    recipe: "limbeck train, whose provider greedy-rollout plays each task once more",
    holds: (row) => row.greedyScore !== undefined,
  },
  turns: {
    field: "turns",
    what: "where the turns of a conversation begin and end",
    recipe: "limbeck train, whose provider conversations joins steps to whole conversations",
    holds: (row) => row.turns !== undefined,
  },
  success: {
    field: "success",
    what: "whether the trajectory succeeded",
    recipe: "any recipe whose environment or judge says so",
    holds: (row, batch) => typeof batch.trajectories.get(row.trajectory)?.success === "boolean",
  },
  truncation: {
    field: "truncated",
    what: "whether a budget cut the response off",
    recipe: "any recipe that rolls out with token budgets, such as dapo",
    holds: (row) => row.truncated !== undefined,
  },
  answerTeacher: {
    field: "logprobs.answerTeacher",
    what: "log-probabilities of the same tokens with the verified answer in the prompt (rows without a reference answer say gold: null)",
    recipe: "limbeck train, whose provider answer-teacher scores each step again with the solution shown",
    holds: (row) => row.logprobs?.answerTeacher !== undefined || row.gold === null,
  },
  answerLogprob: {
    field: "signals.answerLogprob",
    what: "the mean log-probability of the reference answer before and after each turn (rows without one say gold: null)",
    recipe: "limbeck train, whose provider answer-probability scores the reference answer around each turn",
    holds: (row) => row.signals?.answerLogprob !== undefined || row.gold === null,
  },
  withoutObservation: {
    field: "logprobs.withoutObservation",
    what: "log-probabilities of the same tokens with the observation before them replaced by one that says nothing",
    recipe: "limbeck train, whose provider masked-observation scores each step after the first again",
    holds: (row) => row.logprobs?.withoutObservation !== undefined || row.step === 0,
  },
  previousTask: {
    field: "logprobs.previousTask",
    what: "log-probabilities of the same tokens under the policy that finished the task before",
    recipe: "limbeck train, whose provider previous-policy scores with the weights it started from",
    holds: (row) => row.logprobs?.previousTask !== undefined,
  },
  collision: {
    field: "logprobs.collision",
    what: "the logarithm of the sum of squared probabilities at each token",
    recipe: "limbeck train, whose provider collision scores whole distributions",
    holds: (row) => row.logprobs?.collision !== undefined,
  },
  answerClusters: {
    field: "signals.cluster",
    what: "the cluster of the trajectory's final answer and how likely its members are around each turn",
    recipe: "limbeck train, whose provider answer-clusters gathers answers by meaning and scores them",
    holds: (row) => row.signals?.cluster !== undefined,
  },
  toolCalls: {
    field: "signals.calls",
    what: "the tool calls of each row and the reference calls of its task (signals.calls and signals.goldCalls)",
    recipe: "limbeck train --env tools, whose provider tool-references asks the demonstrator",
    holds: (row) => row.signals?.calls !== undefined && row.signals.goldCalls !== undefined,
  },
  toolSuccess: {
    field: "signals.toolSucceeded",
    what: "whether the row's tool call succeeded",
    recipe: "limbeck train --env tools, whose provider tool-references reads it from the world",
    holds: (row) => row.signals?.toolSucceeded !== undefined,
  },
  cutValues: {
    field: "signals.cuts",
    what: "mean scores of continuations from prefixes of each response",
    recipe: "limbeck train, whose provider cut-continuations samples continuations at cut points",
    holds: (row) => row.signals?.cuts !== undefined,
  },
  stateValues: {
    field: "signals.stateValue",
    what: "the mean return of continuations from the state each step started from",
    recipe: "limbeck train, whose provider continuations plays forks of the environment to the end",
    holds: (row) => row.signals?.stateValue !== undefined,
  },
  actionValues: {
    field: "signals.actionValue",
    what: "the mean return of continuations after the row's action",
    recipe: "limbeck train, whose provider continuations plays forks of the environment to the end",
    holds: (row) => row.signals?.actionValue !== undefined,
  },
  snapshots: {
    field: "signals.snapshot",
    what: "which rows are alternatives from one frozen memory, and their local rewards",
    recipe: "limbeck train, whose strategy counterfactual goes on from states it has met",
    // Only the alternatives carry one; a batch without any is all global.
    holds: () => true,
  },
  splitRewards: {
    field: "signals.split",
    what: "where the response's first segment ends, and the rewards of both segments",
    recipe: "limbeck train, whose provider segment-rewards cuts answers at a mark",
    holds: (row) => row.signals?.split !== undefined,
  },
  segments: {
    field: "signals.segment",
    what: "which part of the episode each step belongs to, and the score of that part",
    recipe: "limbeck train, whose provider skill-segments reads it from the episode",
    holds: (row) => row.signals?.segment !== undefined,
  },
  guidedSteps: {
    field: "signals.guidedSteps",
    what: "how many correct steps the prompt gave away",
    recipe: "limbeck train, whose strategy guided starts episodes part of the way",
    holds: (row) => row.signals?.guidedSteps !== undefined,
  },
  promptLengths: {
    field: "signals.promptTokens",
    what: "the length of each prompt",
    recipe: "any recipe that rolls out token by token",
    holds: (row) => row.signals?.promptTokens !== undefined,
  },
  branches: {
    field: "parent",
    what: "trajectories that branch from each other",
    recipe: "limbeck train, which picks a tree strategy for methods that need one",
    // Without a fork there is nothing to compare, which is no error: a budget may allow none.
    holds: () => true,
  },
};

/** Refuses with what is missing, where, and who provides it. */
export function requireNeeds(wanted: readonly Need[], batch: CreditBatch, method: string): void {
  for (const need of wanted) {
    const facts = needs[need];
    const index = batch.rows.findIndex((row) => !facts.holds(row, batch));
    const row = batch.rows[index];
    if (row === undefined) continue;
    throw new EngineError(
      "needs-unmet",
      `${method} needs ${facts.what}. ${rowName(row, index)} has no "${facts.field}". Add it, or use what provides it: ${facts.recipe}.`,
      { details: { method, need, row: index, field: facts.field, recipe: facts.recipe } },
    );
  }
}
