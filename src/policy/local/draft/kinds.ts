/**
 * Where guesses of the next tokens come from: `ngram` from what was read and said before, `model` from a smaller model, `heads` from
 * heads that were trained on the model; `auto` is `ngram`, or heads where there are some, where it is measured to pay.
 */
export const DRAFTS = ["off", "ngram", "model", "heads", "auto"] as const;

export type Draft = (typeof DRAFTS)[number];

/** The form of the guesses that are checked in one pass. */
export const DRAFT_TREES = ["chain", "goose", "delayed", "graft", "parallel"] as const;

export type DraftTreeKind = (typeof DRAFT_TREES)[number];

/** How the next tokens of a model in this process are guessed. What is said stays the same, the time may not. */
export interface DraftChoice {
  /** Default: "off". */
  readonly draft?: Draft | undefined;
  /**
   * `goose` grows from n-grams, `delayed` and `graft` from a draft model or heads; `parallel` is a chain of a draft model that goes on
   * while the model checks. Default: "chain".
   */
  readonly draftTree?: DraftTreeKind | undefined;
  /** Most guesses that are checked in one pass, for each answer: 1 to 63. Default: 7; 15 with "auto". */
  readonly draftNodes?: number | undefined;
  /** Folder or GGUF file of a smaller model with the same tokenizer, for `draft` "model". */
  readonly draftModel?: string | undefined;
  /** Most tokens of the context that the draft model reads: the first and the last. Default: all of them. */
  readonly draftContext?: number | undefined;
}
