/**
 * The contract of a credit method: rows with returns in, named terms of per-token advantages out. Pure and synchronous.
 *
 * A method returns terms, not advantages. The engine (`assign.ts`) adds them up and masks them, so the terms always
 * explain the result: A[row][token] = sum over terms of weight * value.
 */
import type { MethodInfo, OptionTable, OptionValues } from "../base/index.ts";
import type { Json, Parent } from "../trajectory/index.ts";
import type { BatchIndex } from "./batch-index.ts";
import type { Need, Supplies } from "./needs.ts";
import type { RowSignals } from "./signals.ts";

/** Log-probabilities of the response's tokens, aligned with the row's mask. */
export interface RowLogprobs {
  /** Under the policy that is about to be updated. */
  readonly old?: Float64Array;
  readonly new?: Float64Array;
  readonly reference?: Float64Array;
  /** Of the same tokens with the episode skill, or the step skill, in the prompt. */
  readonly episodeTeacher?: Float64Array;
  readonly stepTeacher?: Float64Array;
  /** Of the same tokens with the verified answer in the prompt. */
  readonly answerTeacher?: Float64Array;
  /** Of the same tokens with the last observation replaced by one that says nothing. */
  readonly withoutObservation?: Float64Array;
  /** Of the same tokens under the policy that finished the task before. */
  readonly previousTask?: Float64Array;
  /** Logarithm of the sum of squared probabilities at each token, under the policy before the update. */
  readonly collision?: Float64Array;
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
  /** Reward of this step; absent when nobody scored it. */
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
  /** Null when nobody has said. */
  readonly success: boolean | null;
}

export interface CreditBatch<Row extends CreditRow = CreditRow> {
  readonly rows: readonly Row[];
  readonly trajectories: ReadonlyMap<string, Outcome>;
}

/** A checked batch with the look-ups that every method shares. */
export interface IndexedBatch<Row extends CreditRow = CreditRow> extends CreditBatch<Row> {
  readonly index: BatchIndex;
}

/** A named part of the advantage: one value for a row, or one for each token. */
export interface Term {
  readonly weight: number;
  readonly perRow?: Float64Array;
  readonly perToken?: readonly Float64Array[];
}

/** What a method computes. */
export interface Terms {
  readonly terms: Readonly<Record<string, Term>>;
  readonly metrics?: Readonly<Record<string, number>>;
  /** Rows that a trainer leaves out, by index; their advantages are 0. */
  readonly dropped?: readonly number[];
  /** Targets of a value head. */
  readonly returns?: readonly Float64Array[];
  /** Factor of the clip range of each row, for objectives that clip; 1 unless given. */
  readonly clipScales?: Float64Array;
}

export interface CreditResult extends Terms {
  /** One array for each row, aligned with its mask; exactly 0 where the mask is 0. */
  readonly advantages: readonly Float64Array[];
  readonly metrics: Readonly<Record<string, number>>;
  readonly dropped: readonly number[];
}

/** A batch in the form of `limbeck credit --in`, small enough to check with a pencil. */
export interface Example {
  readonly about: string;
  readonly batch: Json;
  readonly options?: Readonly<Record<string, number | string | boolean | null>>;
}

/** What holds for its defaults on groups of two and more; the contract suite checks it. */
export interface Laws {
  /** Adding a constant to every outcome changes nothing. */
  readonly shift: boolean;
  /** Multiplying all rewards by a positive constant: the same (up to epsilon), proportional, or neither. */
  readonly scale: "same" | "proportional" | "neither";
  /** Advantages of a task's rows, each counted once, add up to 0. */
  readonly zeroSum: boolean;
}

export interface Credit<Options extends OptionTable = OptionTable> {
  readonly info: MethodInfo;
  /** What it cannot do without. */
  readonly needs: readonly Need[];
  /** What it needs under some options or on some rows, and when. */
  readonly mayNeed?: Readonly<Partial<Record<Need, string>>>;
  /** Which of `mayNeed` a training is to supply under these options. */
  wants?(options: OptionValues<Options>): readonly Need[];
  /** Options that live on from update to update, and the metric each takes its next value from. */
  readonly carries?: Readonly<Record<string, string>>;
  readonly options: Options;
  readonly laws: Laws;
  readonly example: Example;
  compute(batch: IndexedBatch, options: OptionValues<Options>): Terms;
}

type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (part: infer Whole) => void
  ? Whole
  : never;

/** A row that has what was asked for. */
export type RowWith<Wanted extends Need> = CreditRow &
  ([Wanted] extends [never] ? unknown : Intersection<Supplies[Wanted]>);

/** Makes an entry of the registry. What `needs` names is there, by type, in the rows `compute` receives. */
export function defineCredit<const Needs extends readonly Need[], const Options extends OptionTable>(definition: {
  readonly info: MethodInfo;
  readonly needs: Needs;
  readonly mayNeed?: Readonly<Partial<Record<Need, string>>>;
  wants?(options: OptionValues<Options>): readonly Need[];
  readonly carries?: Readonly<Record<string, string>>;
  readonly options: Options;
  readonly laws: Laws;
  readonly example: Example;
  readonly compute: (batch: IndexedBatch<RowWith<Needs[number]>>, options: OptionValues<Options>) => Terms;
}): Credit<Options> {
  const { compute, ...rest } = definition;
  // `assign.ts` has checked the needs before it calls.
  return { ...rest, compute: (batch, options) => compute(batch as IndexedBatch<RowWith<Needs[number]>>, options) };
}
