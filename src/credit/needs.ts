/**
 * What a method may need beyond outcomes. A need is a type (what the rows then hold), a check, and a sentence that says
 * which recipe provides it.
 */
import { EngineError } from "../base/index.ts";
import type { CreditBatch, CreditRow, RowLogprobs, Turn } from "./credit.ts";
import { rowName } from "./row-name.ts";

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
  readonly success: unknown;
  readonly truncation: { readonly truncated: boolean };
}

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
    recipe: "opid, which analyses episodes and scores them again",
    holds: (row) => row.logprobs?.episodeTeacher !== undefined,
  },
  stepTeacher: {
    field: "logprobs.stepTeacher",
    what: "log-probabilities of the same tokens with the step's skill in the prompt",
    recipe: "opid, which analyses episodes and scores them again",
    holds: (row) => row.logprobs?.stepTeacher !== undefined,
  },
  values: {
    field: "values",
    what: "a value estimate for each token",
    recipe: "ppo, which trains a value head",
    holds: (row) => row.values !== undefined,
  },
  greedyScore: {
    field: "greedyScore",
    what: "the score of one greedy rollout of the same task",
    recipe: "remax, which adds one greedy rollout to each task",
    holds: (row) => row.greedyScore !== undefined,
  },
  turns: {
    field: "turns",
    what: "where the turns of a conversation begin and end",
    recipe: "ppo with whole conversations as rows",
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
};

/** Refuses with what is missing, where, and which recipe provides it. */
export function requireNeeds(wanted: readonly Need[], batch: CreditBatch, method: string): void {
  for (const need of wanted) {
    const facts = needs[need];
    const index = batch.rows.findIndex((row) => !facts.holds(row, batch));
    const row = batch.rows[index];
    if (row === undefined) continue;
    throw new EngineError(
      "needs-unmet",
      `${method} needs ${facts.what}. ${rowName(row, index)} has no "${facts.field}". Add it, or use a recipe that provides it: ${facts.recipe}.`,
      { details: { method, need, row: index, field: facts.field, recipe: facts.recipe } },
    );
  }
}
