/**
 * What a method may need beyond outcomes. A need names a field of the rows; the type that rows then have, the check and
 * the words of the error follow from it.
 */
import { EngineError } from "limbeck-base/base/errors";
import { type CreditBatch, type CreditRow, type LogprobName, LOGPROBS, type RowLogprobs, rowName } from "./row.ts";
import { SIGNALS } from "./signal-texts.ts";
import type { RowSignals } from "./signals.ts";

interface NeedFacts {
  /** The field of the batch form. */
  readonly field: string;
  /** A second field that must be there with it. */
  readonly also?: string;
  /** A second field that is read where it is there. */
  readonly reads?: string;
  /** What it is, in words. Default: the words of the log-probability or the signal. */
  readonly what?: string;
  /** Rows that are let through without the field. */
  readonly mayLack?: (row: CreditRow, batch: CreditBatch) => boolean;
}

export const needs = {
  stepRewards: {
    field: "reward",
    what: "a reward for each step (0 where the environment gives none before the end)",
  },
  states: { field: "state", what: "the state each step started from, so that equal states can be compared" },
  values: { field: "values", what: "a value estimate for each token" },
  greedyScore: { field: "greedyScore", what: "the score of one greedy rollout of the same task" },
  turns: { field: "turns", what: "where the turns of a conversation begin and end" },
  truncation: { field: "truncated", what: "whether a budget cut the response off" },
  success: {
    field: "success",
    what: "whether the trajectory succeeded",
    mayLack: ({ trajectory }: CreditRow, batch: CreditBatch) =>
      typeof batch.trajectories.get(trajectory)?.success === "boolean",
  },
  // Without a fork there is nothing to compare, which is no error: a budget may allow none.
  branches: { field: "parent", what: "trajectories that branch from each other", mayLack: () => true },
  oldLogprobs: { field: "logprobs.old" },
  episodeTeacher: { field: "logprobs.episodeTeacher" },
  stepTeacher: { field: "logprobs.stepTeacher" },
  previousTask: { field: "logprobs.previousTask" },
  collision: { field: "logprobs.collision" },
  entropy: { field: "logprobs.entropy" },
  answerTeacher: { field: "logprobs.answerTeacher", mayLack: hasNoAnswer },
  // First steps have no observation before them.
  withoutObservation: { field: "logprobs.withoutObservation", mayLack: ({ step }: CreditRow) => step === 0 },
  answerLogprob: { field: "signals.answerLogprob", mayLack: hasNoAnswer },
  answerClusters: { field: "signals.cluster" },
  toolCalls: { field: "signals.calls", also: "signals.goldCalls" },
  toolSuccess: { field: "signals.toolSucceeded" },
  cutValues: { field: "signals.cuts" },
  stateValues: { field: "signals.stateValue" },
  actionValues: { field: "signals.actionValue", reads: "signals.legalValues" },
  // Only alternatives carry one; a batch without any is all global.
  snapshots: { field: "signals.snapshot", mayLack: () => true },
  splitRewards: { field: "signals.split" },
  segments: { field: "signals.segment" },
  guidedSteps: { field: "signals.guidedSteps" },
  promptLengths: { field: "signals.promptTokens" },
} as const satisfies Readonly<Record<string, NeedFacts>>;

export type Need = keyof typeof needs;

/** Rows without a reference answer say so. */
function hasNoAnswer({ gold }: CreditRow): boolean {
  return gold === null;
}

type Present<Whole, Name extends keyof Whole> = { readonly [Key in Name]-?: NonNullable<Whole[Key]> };

type Holding<Field> = Field extends `logprobs.${infer Name extends LogprobName}`
  ? { readonly logprobs: RowLogprobs & Present<RowLogprobs, Name> }
  : Field extends `signals.${infer Name extends keyof RowSignals}`
    ? { readonly signals: RowSignals & Present<RowSignals, Name> }
    : Field extends keyof CreditRow
      ? Present<CreditRow, Field>
      : object;

/** What a row is known to hold once the need is met; nothing where some rows may lack it. */
export type Supplies = {
  readonly [Name in Need]: (typeof needs)[Name] extends { readonly mayLack: unknown }
    ? object
    : Holding<(typeof needs)[Name]["field"]> &
        ((typeof needs)[Name] extends { readonly also: infer Other } ? Holding<Other> : unknown);
};

/** What is needed, in words: a log-probability and a signal say themselves what they are. */
export function needText(need: Need): string {
  const { field, what, mayLack }: NeedFacts = needs[need];
  if (what !== undefined) return what;
  const [part, name = ""] = field.split(".");
  const words = part === "logprobs" ? LOGPROBS[name as LogprobName] : SIGNALS[name as keyof RowSignals];
  const text = `${words.charAt(0).toLowerCase()}${words.slice(1)}`.replace(/\.$/, "");
  const whole = part === "logprobs" ? `log-probabilities of the response's tokens: ${text}` : text;
  return mayLack === hasNoAnswer ? `${whole} (rows without a reference answer say gold: null)` : whole;
}

/** The fields of rows that are read for these needs. */
export function fieldsRead(wanted: readonly Need[]): ReadonlySet<string> {
  const facts: readonly NeedFacts[] = wanted.map((need) => needs[need]);
  return new Set(facts.flatMap(({ field, also, reads }) => [field, also, reads].filter((name) => name !== undefined)));
}

/** Refuses with what is missing, and where. */
export function requireNeeds(wanted: readonly Need[], batch: CreditBatch, method: string): void {
  for (const need of wanted) {
    const { field, also = field, mayLack }: NeedFacts = needs[need];
    for (const name of new Set([field, also])) {
      const [part = "", key] = name.split(".");
      const isThere = (row: CreditRow): boolean => {
        const value = row[part as keyof CreditRow] as Readonly<Record<string, unknown>> | undefined;
        return (key === undefined ? value : value?.[key]) !== undefined;
      };
      const index = batch.rows.findIndex((row) => !isThere(row) && mayLack?.(row, batch) !== true);
      const row = batch.rows[index];
      if (row === undefined) continue;
      throw new EngineError(
        "needs-unmet",
        `${method} needs ${needText(need)}. ${rowName(row, index)} has no "${name}". Add it to every row.`,
        { details: { method, need, row: index, field: name } },
      );
    }
  }
}
