/**
 * Whose opinion of a response counts: the policy that wrote it, its frozen start, or its running average. A teacher only
 * scores; the skill in the context is what it knows more than the policy did.
 */
import type { Scorer } from "../policy/index.ts";
import type { Weights } from "../policy/local/index.ts";
import type { Trajectory } from "../trajectory/index.ts";

/** The part of a local model that a teacher is made of. */
export interface TaughtModel extends Scorer {
  readonly weights: Weights;
  scorerWith(weights: Weights): Scorer;
}

export interface TeacherOptions {
  /** Weights at the start of the run. */
  readonly start: Weights;
  /** How much of itself the running average keeps at each update, from 0 to below 1. */
  readonly decay: number;
}

export interface Teacher {
  /** As of now; asked before the update whose responses it judges. */
  readonly scorer: Scorer;
  /** Who judges this trajectory, where not everybody has the same teacher. */
  readonly scorerFor?: ((trajectory: Trajectory) => Scorer) | undefined;
  /** Called after every update of the policy. */
  learned(): void;
  /** What a resumed run needs to have the same teacher again; undefined where the model and its start say it all. */
  readonly state: Weights | undefined;
  /** Frees what was opened for it. */
  close?(): Promise<void>;
}

export interface TeacherKind {
  readonly info: { readonly title: string; readonly meaning: string };
  create(model: TaughtModel, options: TeacherOptions): Teacher;
}
