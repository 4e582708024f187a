/**
 * The model that a training changes, in this process or on a trainer. A recipe does not notice which: it sees what is
 * here, and what the model's learner and scorer say they can compute.
 */
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Policy, Scorer } from "limbeck-policy/policy/policy";
import type { HeldPolicy } from "limbeck-policy/policy/tinker/tinker-policy";
import type { Teacher } from "limbeck-core/distill/teacher";
import type { TrainedModel } from "limbeck-core/update/context";
import type { TrainProgress } from "./checkpoint.ts";

/** Weights of this process as an array or a folder, or those of a trainer as a path to sample from. */
export type SharedWeights = WeightsHere | WeightsThere;

export interface WeightsHere {
  readonly kind: "here";
  /** As one array, with their version. */
  readonly copy: () => { readonly version: number; readonly weights: Float32Array };
  /** As a model folder that can be opened. */
  readonly write: (folder: string) => Promise<void>;
}

export interface WeightsThere {
  readonly kind: "there";
  readonly url: string;
  readonly version: () => number;
  readonly publish: () => Promise<string>;
  readonly forget: (path: string) => Promise<void>;
  /** A policy with the present weights, until it is closed. */
  readonly hold: () => Promise<HeldPolicy>;
}

/** A model that is ready to be trained, with everything around it that depends on where it is. */
export interface OpenedModel {
  readonly model: TrainedModel;
  /** Numbers that learn. */
  readonly parameters: number;
  /** The policy at the start of the run, which a resumed run has again. */
  readonly start: Scorer;
  readonly dialect: Dialect;
  /** What the checkpoint remembers; undefined where the run begins. */
  readonly held: Readonly<Record<string, unknown>> | undefined;
  /** The teacher; opened once the run knows which update it has reached. */
  readonly teach: (update: number) => Promise<{ readonly teacher: Teacher; readonly acting: () => Policy }>;
  readonly save: (reached: TrainProgress) => Promise<void>;
  /** Keeps the present weights in a folder of their own; missing where the weights are elsewhere. */
  readonly keepBest?: () => Promise<void>;
  /** SHA-256 of the numbers that learn, as they are now; missing where they are elsewhere. */
  readonly digest?: () => string;
  /** The present weights, for remote players. */
  readonly share: SharedWeights;
  /** After the last update. */
  readonly finish?: () => Promise<void>;
  readonly close: () => Promise<void>;
}
