/** Settings under one name. */
import type { ObservationForm } from "./observe.ts";

export interface ShopPreset {
  readonly form: ObservationForm;
  readonly maxSteps: number;
  /** Products on one page of results. */
  readonly perPage: number;
  /** From the score of a purchase to its reward. */
  readonly reward: (score: number) => number;
  /** For whoever builds the prompts: turns of history shown, and the length above which none are. */
  readonly historyTurns: number;
  readonly maxPromptCharacters: number;
  /** For whoever reads the model's reply: taken off when the reply has the wrong form. An impossible click is not that. */
  readonly malformedPenalty: number;
}

export const shopPresets = {
  /** The score itself, on the original's text. */
  webshop: {
    form: "plain",
    maxSteps: 15,
    perPage: 10,
    reward: (score) => score,
    historyTurns: 0,
    maxPromptCharacters: Number.POSITIVE_INFINITY,
    malformedPenalty: 0,
  },
  /** As OPID trains on it: 10 for a perfect purchase, nothing for any other. */
  opid: {
    form: "opid",
    maxSteps: 15,
    perPage: 10,
    reward: (score) => (score === 1 ? 10 : 0),
    historyTurns: 2,
    maxPromptCharacters: 20_000,
    malformedPenalty: 0.1,
  },
  /** Short pages for small models that keep the conversation: an errand is some 500 of their tokens. */
  brief: {
    form: "brief",
    maxSteps: 10,
    perPage: 4,
    reward: (score) => score,
    historyTurns: 0,
    maxPromptCharacters: Number.POSITIVE_INFINITY,
    malformedPenalty: 0,
  },
} as const satisfies Record<string, ShopPreset>;

export type ShopPresetId = keyof typeof shopPresets;
