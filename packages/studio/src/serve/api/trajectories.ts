/** The table of trajectories: filters, pages, facets, and SQL. */
import { z } from "zod";
import { ending, outcome, page, paging, onceOrMore, someNumber, wholeNumber } from "./base.ts";

export const trajectoryItem = z.object({
  run: z.string(),
  id: z.string(),
  env: z.string(),
  task: z.string(),
  /** At most 300 letters. */
  goal: z.string(),
  family: z.string().nullable(),
  split: z.string(),
  group: z.string(),
  outcome,
  ending,
  reward: z.number().nullable(),
  /** Why there is no reward, when there is none. */
  unscored: z.string().nullable(),
  steps: z.int(),
  /** Sampled tokens; null where they were not counted. */
  /** Tokens that the policy sampled; null where they were not counted. */
  sampled: z.int().nullable(),
  /** All tokens of its streams, read ones included; null where none are kept. */
  tokens: z.int().nullable(),
  policy: z.string(),
  policyVersion: z.int().nullable(),
  /** "before", "after", "probe" for held-out episodes; null for the others. */
  phase: z.string().nullable(),
  /** The update it was collected for. */
  update: z.number().nullable(),
  parent: z.object({ trajectory: z.string(), step: z.int() }).nullable(),
  durationMs: z.number().nullable(),
  costUsd: z.number().nullable(),
});
export type TrajectoryItem = z.infer<typeof trajectoryItem>;

export const trajectorySort = z.enum(["stored", "reward", "steps", "tokens", "update"]);

export const trajectoryFilters = {
  run: onceOrMore.describe("one or several runs. Default: every run"),
  env: z.string().optional(),
  family: onceOrMore,
  outcome: outcome.optional(),
  ending: ending.optional(),
  minSteps: wholeNumber.optional(),
  maxSteps: wholeNumber.optional(),
  minReward: someNumber.optional(),
  maxReward: someNumber.optional(),
  group: z.string().optional(),
  task: z.string().optional(),
  phase: z.string().optional().describe('"train" for episodes that were trained on'),
  update: wholeNumber.optional(),
  search: z.string().max(500).optional().describe("words in the goal or the id, letters of either case"),
  text: z.string().max(500).optional().describe("words in an observation or an action; slower, it reads the steps"),
};

export const trajectoriesQuery = z.object({
  ...trajectoryFilters,
  ...paging,
  sort: trajectorySort.default("stored"),
  order: z.enum(["up", "down"]).default("down"),
});
export const trajectoriesAnswer = z.object({
  ...page,
  trajectories: z.array(trajectoryItem),
  /** Runs that were left out because they cannot be read. */
  broken: z.array(z.object({ run: z.string(), problem: z.string() })),
});
export type TrajectoryPage = z.infer<typeof trajectoriesAnswer>;

export const facetsQuery = z.object({ run: trajectoryFilters.run });
const count = z.object({ value: z.string(), count: z.int() });
/** What there is to filter by. */
export const facetsAnswer = z.object({
  envs: z.array(count),
  families: z.array(count),
  outcomes: z.array(count),
  endings: z.array(count),
  phases: z.array(count),
  maxSteps: z.int(),
  updates: z.object({ first: z.int(), last: z.int() }).nullable(),
});
export type Facets = z.infer<typeof facetsAnswer>;

export const sqlRequest = z.object({
  /** One SELECT over the views runs, tasks, trajectories, steps, tokens, rewards, skills, metrics and events. */
  sql: z.string().min(1).max(100_000),
  run: z.string().optional(),
});
export const sqlAnswer = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  /** At most 1,000; cells are JSON, dates and large integers are text. */
  rows: z.array(z.array(z.unknown())),
  /** True when there were more. */
  cut: z.boolean(),
  elapsedMs: z.number(),
});
export type SqlAnswer = z.infer<typeof sqlAnswer>;
