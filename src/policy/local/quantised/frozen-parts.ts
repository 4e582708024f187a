/** What is known of frozen matrices where they are used; `frozen.ts` makes them. */
import type { Program, ProgramOptions } from "../../../graph/index.ts";
import type { ModelConfig } from "../model-config.ts";
import type { FrozenMatrices } from "../weights.ts";
import type { QuantisedMatrix } from "./matrix.ts";

export interface Frozen extends FrozenMatrices {
  /** Each user of the pieces holds them, and lets go once; the last one closes them. */
  hold(config: ModelConfig, options: ProgramOptions): Held;
  /** A matrix as it is multiplied with, for gradients. Kept as long as something learns on it. */
  matrix(name: string): QuantisedMatrix;
}

export interface Held {
  readonly pieces: () => Promise<Pieces>;
  /** What pieces are fed besides weights: zeros for an adapter that they know and this user does not have. */
  readonly zeros: Readonly<Record<string, Float32Array>>;
  letGo(): Promise<void>;
}

export interface Pieces {
  /** "stream" to the projections of the first layer. */
  readonly enter: Program;
  /** "stream" and "mixed" to the stream "after" the layer and the projections of the next one; to "hidden" after the last. */
  readonly layers: readonly Program[];
  /** "hidden" to "logits". */
  readonly head: Program;
}
