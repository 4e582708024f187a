/**
 * The contract of hindsight: a finished group of trajectories in, what they teach out. A skill is short advice in text:
 * for the whole episode, or for one decision. It names the steps it rests on, so that a reader can check it.
 */
import type { PlainError } from "limbeck-base/base/errors";
import type { Trajectory, Usage } from "limbeck-base/trajectory/trajectory";

export type SkillLevel = "episode" | "step";

/** "unknown" where success was not recorded. */
export type OutcomeLabel = "success" | "failure" | "unknown";

/** Where a skill was seen. */
export interface Evidence {
  readonly trajectory: string;
  /** Step indices, as `Step.index` counts. */
  readonly steps: readonly number[];
}

export interface Skill {
  /** A hash of level and text: the same advice has the same id wherever it was found. */
  readonly id: string;
  readonly level: SkillLevel;
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

/** What an analyst has to say about one trajectory. Without skills it gives no teacher signal, and nothing breaks. */
export interface Analysis {
  /** The id of the trajectory. */
  readonly trajectory: string;
  readonly outcome: OutcomeLabel;
  readonly episodeSummary?: string;
  /** A workflow after a success, an avoidance rule after a failure. */
  readonly episodeSkill?: Skill;
  /** By `Step.index`, in the order the analyst wrote them: the most important first. */
  readonly stepSkills: ReadonlyMap<number, Skill>;
  /** Why there are no skills, when the analysis failed. */
  readonly error?: PlainError;
  /** What a model analyst took. */
  readonly usage?: Usage;
}

export interface AnalyseOptions {
  /** K: at most so many step skills per trajectory. */
  readonly maxStepSkills: number;
  /** Which trajectories of the group are analysed. Default: all. The others still serve as siblings. */
  readonly select?: (trajectory: Trajectory) => boolean;
  readonly signal?: AbortSignal;
}

export interface Analyst {
  readonly id: string;
  /** The same with another writer, where a writer writes for it: so a training counts what is written. */
  readonly writtenBy?: (writer: Writer) => Analyst;
  /**
   * One analysis per selected trajectory, in their order. Trajectories of one group share their task. A failure is an
   * analysis with an error, never a rejection; only a cancelled signal rejects ("cancelled").
   */
  analyse(group: readonly Trajectory[], options: AnalyseOptions): Promise<Analysis[]>;
}

/** A critique is read as numbers and choices, a verdict as one word; all others are read by models. */
export type WritingKind = "skill" | "reflection" | "correction" | "reason" | "plan" | "query" | "critique" | "verdict";

export interface Writing<Value> {
  readonly kind: WritingKind;
  /** What is wanted, in our words. */
  readonly wanted: string;
  /** What it is about, in anybody's words: it is quoted. */
  readonly material: readonly string[];
  /** The same for a small writer that knows the form of its answer by its kind. Default: the material. */
  readonly brief?: readonly string[];
  /** What was asked of the agent: things that it names are no concern of the screen. */
  readonly goal?: string;
  /** Longest answer. Default: the writer's. */
  readonly maxTokens?: number;
  /** Answers asked for before the template writes. Default: the writer's. */
  readonly attempts?: number;
  /** The same question with another seed is answered anew. */
  readonly seed?: number;
  /** The value of an answer; undefined where it is none, and then it is asked for once more. */
  readonly read: (text: string) => Value | undefined;
  /** What is read of it by models, for the screen. Default: nothing. */
  readonly textsOf?: (value: Value) => readonly string[];
  /** What stands there without a model. Default: nothing. */
  readonly template?: () => Promise<Value | undefined> | Value | undefined;
}

export interface Written<Value> {
  readonly value: Value | undefined;
  readonly by: "model" | "template" | "nobody";
  /** Why the model's text was not used. */
  readonly why?: string;
  readonly usage?: Usage;
}

/** Writes what a text model may write; `writer/writer.ts` has the one that asks a chat model. */
export interface Writer {
  readonly id: string;
  /** Never rejects, unless it is cancelled. */
  write<Value>(writing: Writing<Value>, options?: { readonly signal?: AbortSignal }): Promise<Written<Value>>;
  /** Gives back what it holds, such as a model in memory. Missing: it holds nothing. */
  close?(): Promise<void>;
}
