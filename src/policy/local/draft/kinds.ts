/**
 * Where guesses of the next tokens come from: `ngram` from what was read and said before, `model` from a smaller model; `auto` is
 * `ngram` where it is measured to pay.
 */
export const DRAFTS = ["off", "ngram", "model", "auto"] as const;

export type Draft = (typeof DRAFTS)[number];

/** The form of the guesses that are checked in one pass. */
export const DRAFT_TREES = ["chain", "goose", "delayed", "graft"] as const;

export type DraftTreeKind = (typeof DRAFT_TREES)[number];
