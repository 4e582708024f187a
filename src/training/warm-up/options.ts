/** What a warm-up can be asked for, what is taken where nothing is said, and what it tells on the way. */
import { checkOptions, may } from "../../base/options.ts";
import { withoutUndefined } from "../../base/index.ts";
import type { Evaluation } from "../../eval/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { WorldPart } from "../parts.ts";
import type { WordCheck } from "./word-check.ts";

export interface WarmUpOptions extends WorldPart {
  /** Folder of the new model; it must not be there. */
  readonly out: string;
  /** A bundled model by name, a folder, "base" (limbeck-base-model), or "fresh": a new one. Default: "household". */
  readonly base?: string | undefined;
  /** "new": the tokenizer is learnt from the demonstrations; "base": it stays. Default: "new" for a bundled base, else "base". */
  readonly words?: "new" | "base" | undefined;
  /** Episodes to learn from, in the place of the demonstrator's; those that did not succeed are left out. */
  readonly trajectories?: readonly Trajectory[] | undefined;
  /** Who played them, for the card. Default: "recorded episodes". */
  readonly from?: string | undefined;
  /** Training tasks that the demonstrator shows. Default: 600. */
  readonly demonstrations?: number | undefined;
  /** Validation success, without advice, at which it stops. Default: 0.25. */
  readonly until?: number | undefined;
  /** Share of the lessons that have advice, at most 0.9. Default: 0.4. */
  readonly advice?: number | undefined;
  /** Most updates. Default: 600. */
  readonly steps?: number | undefined;
  /** Lessons of an update. Default: 16. */
  readonly batchRows?: number | undefined;
  /** Default: 0.001 for a bundled base, 0.0005 for a folder and "base", 0.003 for "fresh", which has nothing to lose. */
  readonly learningRate?: number | undefined;
  /** Updates between two evaluations. Default: 20. */
  readonly evaluateEvery?: number | undefined;
  /** Validation tasks on the way; the figures at the end are of twice as many. Default: 64. */
  readonly tasks?: number | undefined;
  /** Default: 1. */
  readonly seed?: number | undefined;
  /** Threads of the engine. Default: its own choice. */
  readonly threads?: number | undefined;
  readonly onEvent?: (event: WarmUpEvent) => void;
  /** Milliseconds that only grow. Default: the machine's. */
  readonly now?: () => number;
  readonly signal?: AbortSignal | undefined;
}

export type WarmUpEvent =
  | { readonly kind: "progress"; readonly label: string; readonly done: number; readonly total: number }
  | { readonly kind: "shown"; readonly from: string; readonly solved: number; readonly played: number }
  | { readonly kind: "words"; readonly words: WordCheck }
  | { readonly kind: "update"; readonly update: number; readonly updates: number; readonly loss: number }
  | { readonly kind: "evaluation"; readonly update: number; readonly evaluation: Evaluation };

export type Emit = (event: WarmUpEvent) => void;

const DEFAULTS = {
  base: "household",
  demonstrations: 600,
  until: 0.25,
  advice: 0.4,
  steps: 600,
  batchRows: 16,
  evaluateEvery: 20,
  tasks: 64,
  seed: 1,
} as const;

type Decided = { readonly [Name in keyof typeof DEFAULTS]: (typeof DEFAULTS)[Name] extends string ? string : number };

/** The options with everything decided. */
export type WarmUpPlan = Omit<WarmUpOptions, keyof Decided> & Decided;

export const WARM_UP_CHECKS = {
  demonstrations: may.count,
  until: { kind: "number", above: 0, most: 1 },
  advice: { kind: "number", least: 0, most: 0.9 },
  steps: may.count,
  batchRows: may.count,
  learningRate: may.amount,
  evaluateEvery: may.count,
  tasks: may.count,
  seed: may.whole,
  threads: may.count,
} as const;

export function planWarmUp(options: WarmUpOptions): WarmUpPlan {
  checkOptions("warmUp", options, WARM_UP_CHECKS);
  return { ...DEFAULTS, ...withoutUndefined({ ...options }) };
}
