/** Where guesses of the next tokens come from: `ngram` from what was read and said before; `auto` the same where it is measured to pay. */
export const DRAFTS = ["off", "ngram", "auto"] as const;

export type Draft = (typeof DRAFTS)[number];
