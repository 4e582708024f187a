/** Options of a warm-up, their defaults, and its events. */
import type { Baselines } from "./baselines.ts";
import { checkOptions } from "limbeck-base/base/options";
import { withoutUndefined } from "limbeck-base/base/fields";
import { resolveInput, type Given, type Input } from "limbeck-base/base/operation";
import type { Evaluation } from "limbeck-core/eval/evaluate";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { WorldPart } from "../parts.ts";
import { warmUpInputs } from "./warm-up.inputs.ts";
import type { WordCheck } from "./word-check.ts";

/** With what `limbeck warm-up` takes, under the same names: `limbeck warm-up --help` has their defaults. */
export interface WarmUpOptions extends WorldPart, Given<typeof warmUpInputs> {
  /** Folder of the new model; it must not be there. */
  readonly out: string;
  /** Episodes to learn from, in the place of the demonstrator's; those that did not succeed are left out. */
  readonly trajectories?: readonly Trajectory[] | undefined;
  /** Their source, for the card. Default: "recorded episodes". */
  readonly from?: string | undefined;
  readonly onEvent?: (event: WarmUpEvent) => void;
  /** Milliseconds that only grow. Default: the machine's. */
  readonly now?: () => number;
  readonly signal?: AbortSignal | undefined;
}

export type WarmUpEvent =
  | { readonly kind: "progress"; readonly label: string; readonly done: number; readonly total: number }
  | { readonly kind: "shown"; readonly from: string; readonly solved: number; readonly played: number }
  | ({ readonly kind: "baselines" } & Baselines)
  | { readonly kind: "words"; readonly words: WordCheck }
  | { readonly kind: "update"; readonly update: number; readonly updates: number; readonly loss: number }
  | { readonly kind: "evaluation"; readonly update: number; readonly evaluation: Evaluation };

export type Emit = (event: WarmUpEvent) => void;

/** The options with everything decided. */
export type WarmUpPlan = Omit<WarmUpOptions, keyof typeof warmUpInputs> & Input<typeof warmUpInputs>;

const { base: _base, words: _words, ...numbers } = warmUpInputs;
export const WARM_UP_CHECKS = numbers;

export function planWarmUp(options: WarmUpOptions): WarmUpPlan {
  checkOptions("warmUp", options, WARM_UP_CHECKS);
  return { ...resolveInput(warmUpInputs, {}, "warmUp"), ...withoutUndefined({ ...options }) };
}
