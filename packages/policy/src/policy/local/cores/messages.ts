/** What a policy and the threads that compute for it say to each other. */
import type { PlainError } from "limbeck-base/base/errors";
import type { RngState } from "limbeck-base/base/rng";
import type { ProgramOptions } from "../../../graph/program.ts";
import type { TensorData } from "../../../graph/tensor.ts";
import type { Sampled, SampleOptions } from "../../policy.ts";
import type { DraftChoice } from "../draft/kinds.ts";
import type { ModelConfig } from "../model-config.ts";
import type { Decoded } from "../sampler-options.ts";
import type { StatisticsShape } from "../statistics-graph.ts";
import type { Weights } from "../weights.ts";

/** The model's own weights, and those of its adapter. Higher numbers are other weights of the same form. */
export const BASE = 0;
export const ADAPTER = 1;

/** What a thread is given at its start. The weights come later, as messages. */
export interface CoreSetup {
  readonly config: ModelConfig;
  readonly places: Weights["places"];
  readonly adapterPlaces: Weights["places"] | undefined;
  readonly options: ProgramOptions & DraftChoice & { readonly maxRows?: number };
}

/** A run of a graph over one micro-batch. */
export interface GraphRun {
  readonly graph: "score" | "backward";
  /** Which weights it is computed with. */
  readonly set: number;
  readonly shape: StatisticsShape;
  readonly feeds: Readonly<Record<string, TensorData>>;
  /** Where gradients are to be written; it travels there and back. */
  readonly gradient?: Float32Array;
}

export type Outputs = Record<string, TensorData>;

/** How a conversation begins: by itself, or after another one of the same thread. */
export interface TalkStart {
  readonly seed?: number | string;
  readonly rng?: RngState;
  readonly after?: number;
  readonly shared?: number;
}

export type ToCore =
  | {
      readonly kind: "weights";
      readonly id: number;
      readonly set: number;
      /** In shared memory; free again when the thread says "taken". */
      readonly flat: Float32Array;
      readonly changes: number;
      readonly version: number;
    }
  | ({ readonly kind: "run"; readonly id: number } & GraphRun)
  | { readonly kind: "open"; readonly talk: number; readonly start: TalkStart }
  | { readonly kind: "extend"; readonly talk: number; readonly ids: Int32Array }
  | { readonly kind: "fork"; readonly talk: number; readonly from: number; readonly label: string | number }
  | { readonly kind: "close"; readonly talk: number }
  | {
      readonly kind: "sample";
      readonly id: number;
      readonly talk: number;
      readonly options: Omit<SampleOptions, "signal">;
    }
  | { readonly kind: "stop"; readonly id: number }
  | { readonly kind: "end" };

export type FromCore =
  | { readonly kind: "taken"; readonly id: number }
  | {
      readonly kind: "ran";
      readonly id: number;
      readonly outputs: Outputs;
      readonly gradient?: Float32Array | undefined;
    }
  | { readonly kind: "said"; readonly id: number; readonly sampled: Sampled; readonly decoded: Decoded }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly error: PlainError;
      /** All tokens of the conversation, where it was one: it may hold some by now. */
      readonly tokens?: Int32Array;
    };
