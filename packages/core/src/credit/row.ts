/** What a credit batch is made of: rows of one prompt with one response, and the outcomes of their trajectories. */
import { EngineError } from "limbeck-base/base/errors";
import type { Json } from "limbeck-base/base/json";
import type { Parent } from "limbeck-base/trajectory/trajectory";
import type { RowSignals } from "./signals.ts";

export type { CalledTool, RowSignals } from "./signals.ts";

/** The log-probabilities of the response's tokens that a row may carry, aligned with its mask. */
export const LOGPROBS = {
  old: "Under the policy before the update",
  new: "Under the policy being updated",
  reference: "Under the reference policy",
  episodeTeacher: "With the episode skill in the prompt",
  stepTeacher: "With the step skill in the prompt",
  answerTeacher: "With the verified answer in the prompt",
  withoutObservation: "With the last observation replaced by one that says nothing",
  previousTask: "Under the policy that finished the task before",
  collision: "Logarithm of the sum of squared probabilities, instead of the token's own",
  entropy: "Entropy of the distribution that the token was drawn from, in nats, instead of the token's own",
} as const;

export type LogprobName = keyof typeof LOGPROBS;
export const LOGPROB_NAMES = Object.keys(LOGPROBS) as readonly LogprobName[];
export type RowLogprobs = { readonly [Name in LogprobName]?: Float64Array };

/** How the JSON form writes a name. */
export function jsonName(name: LogprobName): string {
  return name === "reference" ? "ref" : name;
}

/** A turn inside a row that holds a whole conversation: token positions, end exclusive. */
export interface Turn {
  readonly start: number;
  readonly end: number;
}

/** One prompt with one response: a step of an agent, or a whole answer. Arrays are aligned with `mask`. */
export interface CreditRow {
  /** Rows of one task are compared with each other. */
  readonly task: string;
  readonly trajectory: string;
  /** Position in the trajectory, from 0; a branch goes on counting from the step it replaces. */
  readonly step: number;
  /** What makes two states equal: a key or the observation itself. */
  readonly state?: string;
  /** Reward of this step; absent when it was not scored. */
  readonly reward?: number;
  /** False when the environment could not understand the action. */
  readonly valid: boolean;
  /** 1 where the policy produced the token and it is trained on. */
  readonly mask: Uint8Array;
  readonly logprobs?: RowLogprobs;
  /** Replaces the outcome on the last trained token. */
  readonly tokenRewards?: Float64Array;
  /** Estimates of a value head. */
  readonly values?: Float64Array;
  readonly useEpisodeSkill?: boolean;
  readonly useStepSkill?: boolean;
  /** Score of one greedy rollout of the same task. */
  readonly greedyScore?: number;
  /** The response or the episode was cut off by a budget. */
  readonly truncated?: boolean;
  readonly parent?: Parent;
  readonly turns?: readonly Turn[];
  /** The reference answer; null says that there is none. */
  readonly gold?: Json;
  readonly path?: readonly string[];
  readonly signals?: RowSignals;
}

export interface Outcome {
  readonly outcome: number;
  /** Null when unknown. */
  readonly success: boolean | null;
}

export interface CreditBatch<Row extends CreditRow = CreditRow> {
  readonly rows: readonly Row[];
  readonly trajectories: ReadonlyMap<string, Outcome>;
}

/** How many tokens of a row are trained on. */
export function trainedCount(mask: Uint8Array): number {
  let count = 0;
  for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) count += 1;
  return count;
}

/** How an error names a row. */
export function rowName(row: Pick<CreditRow, "trajectory" | "step">, index: number): string {
  return `Row ${index} (trajectory ${JSON.stringify(row.trajectory)}, step ${row.step})`;
}

export function rowFault(
  row: Pick<CreditRow, "trajectory" | "step">,
  index: number,
  field: string,
  fault: string,
): EngineError {
  return new EngineError("bad-input", `${rowName(row, index)}, field "${field}": ${fault}`, {
    details: { row: index, field, trajectory: row.trajectory, step: row.step },
  });
}
