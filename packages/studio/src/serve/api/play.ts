/**
 * Playing a world by hand, with the policy's probabilities beside. A game is a tree of places: to act at a place makes
 * a new place and leaves the old one as it was, so that a fork is nothing but acting twice at the same place.
 */
import { z } from "zod";
import { ending, longText, wholeNumber } from "./base.ts";

export const playMenu = z.object({
  worlds: z.array(
    z.object({
      id: z.string(),
      summary: z.string(),
      /** Splits with their sizes; null: without end. */
      splits: z.array(z.object({ name: z.string(), tasks: z.int().nullable() })),
      /** Why it cannot be opened on this machine, when it cannot. */
      problem: z.string().nullable(),
    }),
  ),
  /** Policies whose probabilities can be shown. */
  policies: z.array(z.object({ id: z.string(), label: z.string(), env: z.string().nullable() })),
});
export type PlayMenu = z.infer<typeof playMenu>;

export const openGame = z.union([
  z.object({
    env: z.string().min(1),
    split: z.string().optional(),
    /** Which task of the split, from 0. */
    index: z.int().min(0).default(0),
    /** An id of the menu. Default: none. */
    policy: z.string().optional(),
  }),
  /** From a stored trajectory: its actions are replayed up to the step. */
  z.object({
    run: z.string().min(1),
    trajectory: z.string().min(1),
    step: z.int().min(0),
    policy: z.string().optional(),
  }),
]);
export type OpenGame = z.input<typeof openGame>;

export const place = z.object({
  id: z.int(),
  parent: z.int().nullable(),
  depth: z.int(),
  /** What was done at the parent; null at the start. */
  action: z.string().nullable(),
  valid: z.boolean(),
  observation: longText,
  /** Reward of the step that led here. */
  reward: z.number().nullable(),
  /** Sum so far. */
  total: z.number().nullable(),
  ending: ending.nullable(),
  success: z.boolean().nullable(),
  /** What is accepted here; null where actions are free text. */
  admissible: z.array(z.string()).nullable(),
});
export type PlayPlace = z.infer<typeof place>;

export const game = z.object({
  id: z.string(),
  env: z.string(),
  task: z.string(),
  goal: z.string(),
  policy: z.string().nullable(),
  places: z.array(place),
  /** Where a player goes on first: the start, or the step a stored trajectory was opened at. */
  current: z.int(),
});
export type PlayGame = z.infer<typeof game>;

export const gameQuery = z.object({ id: z.string().min(1) });
export const actRequest = z.object({ game: z.string().min(1), place: z.int().min(0), action: z.string().max(20_000) });
export const actAnswer = z.object({ place });

export const hintAnswer = z.object({
  /** The adviser; null where the world has no expert or the episode is over. */
  expert: z.string().nullable(),
  /** What it would do; null where it knows nothing to do. */
  action: z.string().nullable(),
});
export type PlayHint = z.infer<typeof hintAnswer>;

export const adviceQuery = z.object({ game: z.string().min(1), place: wholeNumber });
export const adviceAnswer = z.object({
  policy: z.string(),
  /** Most likely first. The probability of each admissible action among them, and its log-probability as text. */
  actions: z.array(z.object({ action: z.string(), probability: z.number(), logprob: z.number() })),
  /** Probability that the policy says one of them at all. */
  covered: z.number(),
  /** What it would say most likely, word by word; where actions are free text there is only this. */
  greedy: z.string(),
});
export type Advice = z.infer<typeof adviceAnswer>;
