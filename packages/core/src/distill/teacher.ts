/**
 * Whose opinion of a response counts: the policy that wrote it, its frozen start, its running average, another model here
 * or behind an address, or several of them. A teacher only scores; what it sees beyond the policy's prompt is a context.
 */
import type { EntryInfo } from "limbeck-base/base/method-info";
import type { OptionTable } from "limbeck-base/base/option-table";
import type { Policy, Scorer } from "limbeck-policy/policy/policy";
import type { ModelConfig } from "limbeck-policy/policy/local/model-config";
import type { Tokenizer } from "limbeck-policy/policy/local/tokenizer";
import type { Weights } from "limbeck-policy/policy/local/weights";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

/** The part of a local model that a teacher is made of. */
export interface TaughtModel extends Scorer {
  readonly weights: Weights;
  readonly config: Pick<ModelConfig, "contextLength" | "vocabularySize">;
  readonly tokenizer?: Tokenizer | undefined;
  scorerWith(weights: Weights): Scorer;
}

export interface TeacherOptions {
  /** Weights at the start of the run. */
  readonly start: Weights;
  /** How much of itself the running average keeps at each update, from 0 to below 1. */
  readonly decay: number;
  /** A folder, an address, or a list of teachers, for kinds that need one. */
  readonly source?: string | null | undefined;
  /** Threads of models that are opened for it. */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where keys of servers are looked for. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Opens a teacher of a list: "reference", "model:FOLDER". */
  readonly member?: ((text: string) => Promise<Teacher>) | undefined;
}

export interface Teacher {
  /** As of now; asked before the update whose responses it judges. */
  readonly scorer: Scorer;
  /** The scorer of this trajectory, where teachers differ. */
  readonly scorerFor?: ((trajectory: Trajectory) => Scorer) | undefined;
  /** The teacher as a policy that acts, where it is one of its own. */
  readonly policy?: Policy | undefined;
  /** Called after every update of the policy. */
  learned(): void;
  /** What a resumed run needs to have the same teacher again; undefined where the model and its start say it all. */
  readonly state: Weights | undefined;
  /** Frees what was opened for it. */
  close?(): Promise<void>;
}

/** Every teacher by name; what they are is in `index.ts`. */
export const TEACHERS = ["aligned", "ema", "endpoint", "mixture", "model", "reference", "routed", "self"] as const;
export type TeacherId = (typeof TEACHERS)[number];

export interface TeacherKind {
  readonly info: EntryInfo;
  /** Of `decay` and `source` those that it looks at; a source that it has, it needs. */
  readonly options: OptionTable;
  create(model: TaughtModel, options: TeacherOptions): Teacher | Promise<Teacher>;
}
