/** Runs: the list, one of them in full, and any set compared. */
import { z } from "zod";
import { interval, outcome, page, paging, point, onceOrMore } from "./base.ts";
import { labels } from "./labels.ts";

/**
 * "starting" has committed nothing yet, "running" has written lately, "stopped" has not and recorded no end; only
 * trainings say it.
 */
export const runStatus = z.enum(["starting", "running", "finished", "stopped", "stored", "broken"]);
export type RunStatus = z.infer<typeof runStatus>;

export const cost = z.object({
  environmentSteps: z.number().nullable(),
  sampledTokens: z.number().nullable(),
  /** Tokens read or scored. */
  modelTokens: z.number().nullable(),
  seconds: z.number().nullable(),
  /** What chat models were paid, where the run knows. */
  usd: z.number().nullable(),
});

export const evaluation = interval.extend({
  /** "before", "validation", "after" or "probe" (the teacher's own, with skills). */
  phase: z.string(),
  update: z.number(),
  meanSteps: z.number().nullable(),
  invalid: z.number().nullable(),
});
export type EvaluationPoint = z.infer<typeof evaluation>;

export const runItem = z.object({
  id: z.string(),
  kind: z.string(),
  createdAt: z.string(),
  /** When something was last written. */
  changedAt: z.string().nullable(),
  status: runStatus,
  recipe: z.string().nullable(),
  credit: z.string().nullable(),
  env: z.string().nullable(),
  seed: z.number().nullable(),
  /** Updates done and planned; null where the run is no training. */
  updates: z.object({ done: z.int(), planned: z.int().nullable() }).nullable(),
  /** The newest word on held-out tasks ("after", else the last validation, else "before"). */
  success: evaluation.nullable(),
  /** Held-out tasks before the training. */
  before: evaluation.nullable(),
  /** All stored episodes of a run that was no training; null where none is judged. */
  stored: interval.nullable(),
  /** The one split that those are of; null of several, and where it is unknown. */
  split: z.string().nullable(),
  trajectories: z.int(),
  steps: z.int(),
  bytes: z.number(),
  commits: z.int(),
  cost,
  /** Why the run cannot be read, when it cannot. */
  problem: z.string().nullable(),
  /** Whether its figures are still being read; only where known ones were asked for. */
  reading: z.boolean(),
  labels,
});
export type RunItem = z.infer<typeof runItem>;

export const runsQuery = z.object({
  ...paging,
  search: z.string().optional().describe("part of the id, recipe, environment, tag or note"),
  status: runStatus.optional(),
  tag: onceOrMore.describe("only runs with all of these tags"),
  archived: z.enum(["hide", "only", "show"]).default("hide").describe("what to do with archived runs"),
  figures: z
    .enum(["whole", "known"])
    .default("whole")
    .describe("known: answer at once; rows whose figures are not read yet say so"),
});
export const runsAnswer = z.object({
  ...page,
  runs: z.array(runItem),
  /** Every tag of the store, with its runs. */
  tags: z.array(z.object({ tag: z.string(), runs: z.int() })),
  /** Runs that are archived. */
  archived: z.int(),
});

/** What a curve is about, so that a page can put it in its place. */
export const curveTopic = z.enum([
  "success",
  "reward",
  "entropy",
  "kl",
  "loss",
  "phase",
  "teacher",
  "skill",
  "credit",
  "cost",
  "other",
]);
export type CurveTopic = z.infer<typeof curveTopic>;

export const curve = z.object({
  name: z.string(),
  topic: curveTopic,
  /** "nats", "seconds", "share", "tokens", "steps" or "". */
  unit: z.string(),
  points: z.array(point),
});
export type Curve = z.infer<typeof curve>;

export const difference = z.object({ difference: z.number(), low: z.number(), high: z.number(), tasks: z.int() });

export const setting = z.object({
  /** Dotted name. */
  name: z.string(),
  /** One value for each run, in their order; null where a run has none. */
  values: z.array(z.string().nullable()),
  differs: z.boolean(),
});
export type Setting = z.infer<typeof setting>;

export const notice = z.object({ update: z.number(), message: z.string(), time: z.string() });

export const creditedGroup = z.object({
  group: z.string(),
  update: z.number(),
  goal: z.string(),
  episodes: z.int(),
  solved: z.int(),
});
export type CreditedGroup = z.infer<typeof creditedGroup>;

/** What was done in an episode and what was seen then; texts of 400 letters, 60 steps at most. */
const shownEpisode = z.object({
  trajectory: z.string(),
  outcome,
  total: z.int(),
  steps: z.array(z.object({ step: z.int(), action: z.string(), valid: z.boolean(), seen: z.string() })),
});

/** The same held-out task before and after the training. */
export const beforeAfter = z.object({
  title: z.string(),
  goal: z.string(),
  before: shownEpisode,
  after: shownEpisode,
});
export type BeforeAfter = z.infer<typeof beforeAfter>;

/** A skill with which the teacher changed its mind much. */
export const tellingSkill = z.object({
  level: z.string(),
  text: z.string(),
  /** In nats a token: above 0, the words that the agent had chosen became more likely. */
  shift: z.number(),
  tokens: z.int(),
  update: z.number(),
  trajectory: z.string(),
  step: z.int().nullable(),
  /** What the agent had done at that step. */
  said: z.string().nullable(),
});

export const runDetail = runItem.extend({
  config: z.record(z.string(), z.unknown()),
  settings: z.array(setting),
  /** Every metric of the training, by update. */
  curves: z.array(curve),
  evaluations: z.array(evaluation),
  notices: z.array(notice),
  /** The same held-out tasks before and after. */
  change: difference.nullable(),
  /** What became of those tasks. */
  moved: z.object({ gained: z.int(), lost: z.int(), kept: z.int(), never: z.int() }).nullable(),
  /** The first task that failed before, and where it still fails the first that is solved now. */
  examples: z.array(beforeAfter),
  skills: z.object({ written: z.int(), distinct: z.int(), shown: z.array(tellingSkill) }),
  families: z.array(
    z.object({ family: z.string(), tasks: z.int(), before: z.number().nullable(), after: z.number().nullable() }),
  ),
  /** Groups whose credit is stored token by token, newest first. */
  credited: z.array(creditedGroup),
  /** Whether the run has a model beside it, which Play and the entropies need. */
  hasModel: z.boolean(),
  /** Why it ended, once it has. */
  end: z.object({ reason: z.string(), update: z.number() }).nullable(),
});
export type RunDetail = z.infer<typeof runDetail>;

export const compareQuery = z.object({
  runs: z.string().min(1).describe("ids, separated by commas; the first is the one that others are compared with"),
});

export const compareAnswer = z.object({
  runs: z.array(runItem),
  /** Each metric that some run has, with one series for each run that has it. */
  curves: z.array(
    z.object({
      name: z.string(),
      topic: curveTopic,
      unit: z.string(),
      series: z.array(z.object({ run: z.string(), points: z.array(point) })),
      /** Runs that differ only in their seed, as one line with a 95% bootstrap band over the runs. */
      arms: z.array(z.object({ arm: z.string(), runs: z.array(z.string()), points: z.array(point) })),
    }),
  ),
  /** The first run minus each other one, on held-out tasks that both played after training; null: none in common. */
  pairs: z.array(z.object({ left: z.string(), right: z.string(), after: difference.nullable() })),
  settings: z.array(setting),
});
export type Comparison = z.infer<typeof compareAnswer>;
