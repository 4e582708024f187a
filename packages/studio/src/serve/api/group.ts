/** A group as a forest: what was done from which state, how often, and how it ended. */
import { z } from "zod";
import { outcome, page, paging, wholeNumber } from "./base.ts";

export const groupsQuery = z.object({
  ...paging,
  update: wholeNumber.optional(),
  mixed: z.stringbool().optional().describe("only groups with both successes and failures"),
});
export const groupItem = z.object({
  group: z.string(),
  task: z.string(),
  goal: z.string(),
  env: z.string(),
  update: z.number().nullable(),
  episodes: z.int(),
  solved: z.int(),
  meanReward: z.number().nullable(),
  branches: z.int(),
  /** What became of the line that a search chose; null where no search was at work. Its success is the search's. */
  chosen: outcome.nullable(),
});
export type GroupItem = z.infer<typeof groupItem>;
export const groupsAnswer = z.object({
  ...page,
  groups: z.array(groupItem),
  /** Groups of the run, or of the update, that ended alike: what "mixed" leaves out. */
  alike: z.int(),
});

export const groupQuery = z.object({
  id: z.string().min(1),
  update: wholeNumber.optional().describe("where the id comes again in several updates. Default: the newest"),
});

/** A state with its history: episodes are together until they do something different or see something different. */
export const treeNode = z.object({
  /** Its place in the list; a parent always stands before its children. */
  id: z.int(),
  parent: z.int().nullable(),
  depth: z.int(),
  stateKey: z.string(),
  /** At most 200 letters. */
  observation: z.string(),
  /** What was done at the parent to come here; null at a root. At most 200 letters. */
  action: z.string().nullable(),
  valid: z.boolean(),
  /** Episodes that came through here. */
  visits: z.int(),
  solved: z.int(),
  /** Mean reward of the episodes that came through here. */
  meanReturn: z.number().nullable(),
  /** Number of different actions that were taken from here. */
  actions: z.int(),
  /** Episodes that end here. */
  ends: z.array(z.object({ trajectory: z.string(), outcome, reward: z.number().nullable() })),
  /** One episode that came through here, and its step at this node, to walk to. */
  example: z.object({ trajectory: z.string(), step: z.int() }),
});
export type TreeNode = z.infer<typeof treeNode>;

export const groupAnswer = groupItem.extend({
  run: z.string(),
  nodes: z.array(treeNode),
  trajectories: z.array(
    z.object({
      id: z.string(),
      outcome,
      reward: z.number().nullable(),
      steps: z.int(),
      parent: z.object({ trajectory: z.string(), step: z.int(), token: z.int().nullable() }).nullable(),
      /** Whether a search chose this line. */
      chosen: z.boolean(),
      /** Nodes it came through, from root to end. */
      path: z.array(z.int()),
    }),
  ),
  /** True when the group has more episodes or steps than are drawn. */
  cut: z.boolean(),
});
export type GroupTree = z.infer<typeof groupAnswer>;
