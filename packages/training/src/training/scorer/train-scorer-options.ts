/** What a scorer is trained from, and how. */
import { may } from "limbeck-base/base/options";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { ScorerKind } from "./card.ts";
import type { ScorerLoss } from "./losses.ts";
import type { Labels } from "./rows.ts";

export const SCORER_CHECKS = {
  balance: may.positive,
  epochs: may.count,
  batch: may.count,
  rank: may.count,
  learningRate: may.amount,
  seconds: may.amount,
  seed: may.whole,
  threads: may.count,
} as const;

export interface TrainScorerOptions {
  /** The model whose tokens the episodes hold: a folder, or "bundled:NAME". */
  readonly model: string;
  /** How the card and the adapter call it. Default: as it is given. */
  readonly base?: string;
  /** Where the scorer goes. */
  readonly out: string;
  /** Episodes to learn from, with the tokens of the model; tasks are kept together. */
  readonly trajectories: readonly Trajectory[];
  /** Episodes that it is judged by. Default: the last fifth of the tasks, which it then does not learn from. */
  readonly heldOut?: readonly Trajectory[];
  /**
   * "adapter": an adapter with a head, which reads every episode again. "states": a head on the hidden states that the
   * model itself samples from, which sampling has computed already. Default: "adapter".
   */
  readonly kind?: ScorerKind;
  /**
   * What it foretells: "outcome", "continuations", "outlook" (episodes with rewards "distance", see `withReplayLabels`), or
   * the name of a stored reward of steps. Default: "outcome".
   */
  readonly labels?: Labels;
  /**
   * Failures that are learnt from for each success, drawn by lot; what it says is fitted to episodes as they were played.
   * Default: all.
   */
  readonly balance?: number;
  /** Also looks at how likely the model finds its own words, which it then reads twice. Default: false. */
  readonly likelihood?: boolean;
  /** Default: "bce". */
  readonly loss?: ScorerLoss;
  /** Default: 3; of a head on states as many as see 400,000 places, 3 to 100. */
  readonly epochs?: number;
  /** Rows of an update. Default: 32. */
  readonly batch?: number;
  /** Rank of the adapter. Default: 8. */
  readonly rank?: number;
  /** Highest learning rate; it falls to 0 by the end. Default: 0.003. */
  readonly learningRate?: number;
  /** Time that learning may take; what was best until then is kept. Default: 600. */
  readonly seconds?: number;
  readonly seed?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  readonly onEpoch?: (epoch: { readonly epoch: number; readonly loss: number; readonly validLoss: number }) => void;
}
