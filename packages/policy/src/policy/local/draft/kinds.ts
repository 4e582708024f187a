import { EngineError } from "limbeck-base/base/errors";

/**
 * Where draft tokens come from: `ngram` from earlier tokens, `model` from a smaller model, `heads` from
 * heads that were trained on the model; `auto` is `ngram`, or heads where there are some, where it is measured to pay.
 */
export const DRAFTS = ["off", "ngram", "model", "heads", "auto"] as const;

export type Draft = (typeof DRAFTS)[number];

/** The form of the guesses that are checked in one pass. */
export const DRAFT_TREES = ["chain", "goose", "delayed", "graft", "parallel"] as const;

export type DraftTreeKind = (typeof DRAFT_TREES)[number];

/** Speculative decoding of a model in this process. Responses stay the same, the time may not. */
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

/** A pass is as wide as a power of two; the widest that a graph is made for. */
const MOST_NODES = 63;
/** With less of the context a draft model guesses blindly. */
const LEAST_CONTEXT = 32;

/** Refuses choices of guesses that do not go together. */
export function refuseDrafting({
  draft = "off",
  draftTree = "chain",
  drafter,
  draftHeads,
  draftNodes = 1,
  draftContext,
}: Omit<DraftChoice, "draftModel"> & { readonly drafter?: unknown; readonly draftHeads?: unknown }): void {
  const refuse = (message: string): EngineError => new EngineError("bad-option", message);
  if (!DRAFTS.includes(draft)) throw refuse(`draft is "${draft as string}"; allowed: ${DRAFTS.join(", ")}.`);
  if (!DRAFT_TREES.includes(draftTree)) {
    throw refuse(`draftTree is "${draftTree as string}"; allowed: ${DRAFT_TREES.join(", ")}.`);
  }
  if (!(Number.isInteger(draftNodes) && draftNodes >= 1 && draftNodes <= MOST_NODES)) {
    throw refuse(`draftNodes is ${draftNodes}; allowed: a whole number from 1 to ${MOST_NODES}.`);
  }
  if (draftContext !== undefined && !(Number.isInteger(draftContext) && draftContext >= LEAST_CONTEXT)) {
    throw refuse(`draftContext is ${draftContext}; allowed: a whole number from ${LEAST_CONTEXT} on.`);
  }
  if (draftContext !== undefined && draft !== "model") {
    throw refuse(`draftContext is what a draft model reads; draft is "${draft}". Choose draft model, or leave it out.`);
  }
  if (draftTree === "parallel" && draft !== "model") {
    throw refuse(`The draft tree parallel is drafted by a model of its own; draft is "${draft}". Choose draft model.`);
  }
  if (draft === "model" && drafter === undefined) {
    throw refuse("draft model needs draftModel: a smaller model with the same tokenizer.");
  }
  if (drafter !== undefined && draft !== "model") {
    throw refuse(`A draft model guesses with draft "model"; draft is "${draft}". Say so, or leave draftModel out.`);
  }
  if (draft === "heads" && draftHeads === undefined) {
    throw refuse(
      "draft heads needs heads beside the model, and there are none; train them with limbeck draft-heads, or choose draft ngram or auto.",
    );
  }
  const grows = draft === "model" || draft === "heads";
  if ((draftTree === "delayed" || draftTree === "graft") && !grows) {
    throw refuse(
      `The draft tree ${draftTree} grows from a draft model or from heads; draft is "${draft}". Choose draft model or heads, or the tree chain or goose.`,
    );
  }
  if (draftTree === "goose" && grows) {
    throw refuse(
      "The draft tree goose grows from n-grams; choose draft ngram or auto, or the tree chain, delayed or graft.",
    );
  }
}
