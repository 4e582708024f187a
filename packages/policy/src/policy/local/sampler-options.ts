/** What a sampler is made of, and what it gives. */
import type { RngState } from "limbeck-base/base/rng";
import type { Program } from "../../graph/program.ts";
import type { Conversation, ConversationOptions } from "../policy.ts";
import type { DecodeShape } from "./decode-graph.ts";
import type { DraftingOptions } from "./draft/drafting.ts";
import type { StateMemory } from "./hidden-states.ts";
import type { ModelConfig } from "./model-config.ts";
import type { Made } from "./programs.ts";

export interface SamplerOptions extends DraftingOptions {
  readonly config: ModelConfig;
  readonly weights: Readonly<Record<string, Float32Array>>;
  /** Counts changes of the weights; what was read under older ones is read again. */
  readonly version: () => number;
  /** What a count of changes is called in results. Default: the same number. */
  readonly versionName?: (changes: number) => number;
  readonly program: (shape: DecodeShape) => Promise<Program>;
  readonly maxRows?: number;
  /** Keeps the hidden states that responses were sampled from, once it is on. */
  readonly memory?: StateMemory;
  /** Threads that a step runs on. Default: unknown. */
  readonly threads?: number;
}

export interface Sampler {
  open(options?: OpenOptions): Conversation;
  /** So far. */
  readonly decoded: Decoded;
  /** Settles when no drafting runs in the background. */
  rest(): Promise<void>;
}

/** Counts of sampling: drafts raise the tokens for each row of a pass. */
export interface Decoded {
  /** Runs of the model, those that only read included. */
  readonly passes: number;
  /** Rows of them that sampled a token. */
  readonly rows: number;
  /** Tokens sampled. */
  readonly tokens: number;
  /** With drafting in parallel: drafts that were ready, and drafts that were waited for. */
  readonly overlap?: { readonly ready: number; readonly waited: number } | undefined;
  /** With drafting: guesses that were said though another was made before them at their place, and those of the memory of n-grams. */
  readonly guessed?: { readonly aside: number; readonly recalled: number } | undefined;
  readonly attention?: Readonly<AttentionCounts> | undefined;
  /** Programs that were made for the shapes of passes, scoring and learning included; unknown with `cores` and quantised weights. */
  readonly made?: Readonly<Made> | undefined;
}

/** Two-level attention so far, over all steps, layers and heads of contexts that are long enough. */
export interface AttentionCounts {
  /** Keys there were, keys that were scored, values that were added up. */
  keys: number;
  scored: number;
  added: number;
  /** Blocks that were chosen, and how many of them the step before had chosen too. */
  blocks: number;
  again: number;
}

/** How a conversation of another process goes on here. */
export interface OpenOptions extends ConversationOptions {
  /** The generator as it was there; takes the place of the seed. */
  readonly rng?: RngState;
  /** An earlier conversation of this policy: what it has read need not be read again. */
  readonly after?: Conversation;
  /** So many of its first tokens are the beginning of this one. Default: all of them. */
  readonly shared?: number;
}

/** Shares of the keys that were scored, and of the chosen blocks that the step before had chosen too: what prefetching would hit. */
export function attentionMetrics({ attention }: Decoded): Record<string, number> {
  if (attention === undefined || attention.keys === 0) return {};
  const { keys, scored, blocks, again } = attention;
  return { "attention/scored": scored / keys, "attention/sameBlocks": again / Math.max(1, blocks) };
}

/** Speculative decoding: tokens for each check, the shares of them that branches and the memory gave, and that of drafts that were ready in time. */
export function draftMetrics({ tokens, rows, overlap, guessed }: Decoded): Record<string, number> {
  const { aside = 0, recalled = 0 } = guessed ?? {};
  const ready =
    overlap === undefined ? {} : { "draft/ready": overlap.ready / Math.max(1, overlap.ready + overlap.waited) };
  return {
    "draft/tokensPerCheck": tokens / Math.max(1, rows),
    "draft/aside": aside / Math.max(1, tokens),
    "draft/recalled": recalled / Math.max(1, tokens),
    ...ready,
  };
}
