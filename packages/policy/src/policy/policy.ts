/**
 * The contract of a policy, in three layers: it samples, it scores given tokens, it learns. An implementation offers
 * the layers it can; a recipe says which it needs and refuses the others by name.
 */
import type { PolicyRef } from "limbeck-base/trajectory/trajectory";
import type { Objective, StatisticName, TrainRow } from "./objective.ts";

/** A model that samples. It batches open conversations by itself. */
export interface Policy {
  readonly ref: PolicyRef;
  /** Answers that it serves best at once. Default: 64. */
  readonly concurrency?: number;
  /** A conversation keeps what it has read, so that only new tokens cost anything. */
  open(options?: ConversationOptions): Conversation;
  /** Its own vector of a token, as it is now: a row of its embedding matrix, not a copy. Policies elsewhere lack it. */
  embedding?(id: number): Float32Array;
  /** The hidden states that it sampled from, where it keeps them. Remote policies lack it. */
  readonly keptStates?: KeptStates;
  /** A copy of the present weights in fewer bits, with nearly the same distribution, to explore with. It is not to be closed. Some lack it. */
  rough?(): Promise<Policy>;
  close(): Promise<void>;
}

/** What sampling has computed anyway, kept for what reads hidden states: a head that foretells outcomes, for example. */
export interface KeptStates {
  /** From now on states are kept; before that there are none. */
  keep(): void;
  /** The state that the last token of the longest known prefix of a context was sampled from; undefined where none is known. */
  before(context: Int32Array): Float32Array | undefined;
}

export interface ConversationOptions {
  /** Everything this conversation draws depends on this seed and its own turns, never on its batch. */
  readonly seed?: number | string;
}

export interface Conversation {
  /** All tokens so far, prompt and sampled. */
  readonly tokens: Int32Array;
  /** Reads tokens; they are taken in with the next sample. */
  extend(ids: ArrayLike<number>): void;
  sample(options: SampleOptions): Promise<Sampled>;
  /** Log-probabilities of every token that could come next, at temperature 1; nothing is sampled. Policies elsewhere lack it. */
  peek?(signal?: AbortSignal): Promise<Float32Array>;
  /** An independent copy at this point. Its seed is split by the label, so that forks of one point differ. */
  fork(label: string | number): Conversation;
  close(): void;
}

/**
 * The coldest temperature that is divided by. Below it the most likely word has all the probability that a number can hold:
 * what is drawn is the limit, the most likely word, and nothing is divided. One over 1e-38 is no number of 32 bits any more.
 */
export const COLDEST = 1e-6;

export interface SampleOptions {
  readonly maxTokens: number;
  /** Default: 1; 0, and anything below `COLDEST`, takes the most likely token. */
  readonly temperature?: number;
  readonly topK?: number;
  readonly topP?: number;
  readonly minP?: number;
  /** Token sequences that end the response; they are part of it. */
  readonly stop?: readonly ArrayLike<number>[];
  /** Token sequences of which the response must be one: a trie of admissible actions, for example. */
  readonly allowed?: readonly ArrayLike<number>[];
  readonly signal?: AbortSignal;
}

export interface Sampled {
  readonly ids: Int32Array;
  /** Under the policy itself: temperature 1, no restriction. */
  readonly logprobs: Float32Array;
  /** Under the distribution that was drawn from; empty where a server does not report it. */
  readonly sampledLogprobs: Float32Array;
  /** The allowed ids of each token where sampling was restricted, as in `TokenStream.allowed`. */
  readonly allowed?: { readonly offsets: Int32Array; readonly ids: Int32Array };
  readonly version: number;
  readonly ending: "stop" | "length" | "context";
}

/** Statistics of given tokens. */
export interface Scorer {
  readonly statistics: readonly StatisticName[];
  /** Calls that are worth having under way together, where the work is done elsewhere. Default: 1. */
  readonly inFlight?: number;
  /** One entry per row and named statistic, aligned with the row's tokens; position 0 has no prediction and is 0. */
  score(rows: readonly ScoreRow[], options?: ScoreOptions): Promise<RowStatistics[]>;
  /** The most probable tokens at every position, for teachers that score more than the sampled tokens. Some scorers lack it. */
  topTokens?(rows: readonly ScoreRow[], options: TopTokensOptions): Promise<TopTokens[]>;
}

/** One that also finds the most probable tokens. */
export type WholeScorer = Scorer & Required<Pick<Scorer, "topTokens">>;

export interface TopTokensOptions {
  /** How many at each position; at most the vocabulary. */
  readonly count: number;
  readonly signal?: AbortSignal;
}

/**
 * Flat, `count` per token, the most probable first; of equally probable ones the lower id. Where nothing is predicted or
 * asked, zeros.
 */
export interface TopTokens {
  readonly count: number;
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  /** Of the row's own tokens, as from `score`, where the same pass gave them. */
  readonly own?: Float32Array;
}

export interface ScoreRow {
  readonly ids: Int32Array;
  /** 1 where something is asked; statistics of other tokens are 0 and cost nothing. Default: every token. */
  readonly mask?: Uint8Array;
  /** What logits are divided by before anything is asked of them. Default: 1. */
  readonly temperature?: number;
  /** Candidate ids at every position, flat: `count` per token. */
  readonly candidates?: {
    readonly count: number;
    readonly ids: Int32Array;
    /** Whether they are the whole vocabulary at every token, in its order: a scorer need not look them up. Default: false. */
    readonly whole?: boolean;
  };
  /** A teacher's distribution for the divergence: log-probabilities over the vocabulary, flat, per token. */
  readonly teacher?: Float32Array;
}

export interface ScoreOptions {
  readonly statistics?: readonly StatisticName[];
  readonly signal?: AbortSignal;
  /** Called at the end; `tokensSaved` are those that shared prefixes made unnecessary. */
  readonly report?: (report: { readonly tokens: number; readonly tokensSaved: number }) => void;
}

/** Arrays aligned with a row's tokens; candidates are flat, `count` per token. */
export type RowStatistics = { readonly [Name in StatisticName]?: Float32Array };

export interface Learner {
  readonly statistics: readonly StatisticName[];
  /** Forward over all rows, the objective once, then its weights pulled back; gradients add up until `step`. */
  backward(rows: readonly TrainRow[], objective: Objective, options?: BackwardOptions): Promise<BackwardReport>;
  step(options: StepOptions): Promise<StepReport>;
  /** Forgets gradients that were not used. */
  discard(): void;
  /** Weights and optimiser state; `load` continues bit for bit on the same machine and thread count. */
  save(folder: string): Promise<void>;
  load(folder: string): Promise<void>;
}

export interface BackwardOptions {
  readonly signal?: AbortSignal;
}

export interface BackwardReport {
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly tokens: number;
  /** Tokens that shared prefixes made unnecessary. */
  readonly tokensSaved: number;
}

export interface StepOptions {
  readonly learningRate: number;
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
  readonly weightDecay?: number;
  /** Largest global norm of the gradient. Default: none. */
  readonly clipNorm?: number;
}

export interface StepReport {
  readonly step: number;
  readonly gradientNorm: number;
}
