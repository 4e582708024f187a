/** One trajectory, step by step and token by token, with its skills and its siblings. */
import { z } from "zod";
import { longText, outcome, wholeNumber } from "./base.ts";
import { trajectoryItem } from "./trajectories.ts";

const numbers = z.array(z.number());
/** A number for each token, null where it is not known for one. */
const perToken = z.array(z.number().nullable());

/** The response of a step; all arrays have the length of `ids`. A member that is null is not known for this step. */
export const tokens = z.object({
  ids: z.array(z.int()),
  /** The text of each token; null where the run has no tokenizer beside it. */
  texts: z.array(z.string()).nullable(),
  /** 1 where the policy produced the token. */
  mask: z.array(z.int()),
  /** Under the policy itself at sampling, at temperature 1. */
  probability: numbers.nullable(),
  /** Under the distribution it was drawn from. */
  sampledProbability: numbers.nullable(),
  /** In nats. Null here, since sampling does not store it: the endpoint `entropy` computes it when asked. */
  entropy: perToken.nullable(),
  advantage: numbers.nullable(),
  /** How the advantage was composed: it is the sum of weight × value over the terms. */
  terms: z.array(z.object({ name: z.string(), weight: z.number(), values: numbers })).nullable(),
  /** What the teacher thinks of the word, minus what the policy thought, in nats. */
  shift: numbers.nullable(),
  /** Between the policy and the teacher at this word, in nats, where training learned from that. */
  divergence: numbers.nullable(),
  /** Which skill the teacher had read: of the episode or of the step. */
  teacher: z.enum(["episode", "step"]).nullable(),
});
export type StepTokens = z.infer<typeof tokens>;

export const stepSkill = z.object({
  id: z.string(),
  level: z.string(),
  text: z.string(),
  /** The step it was for; null: the whole episode. */
  step: z.int().nullable(),
  update: z.number().nullable(),
  /** Mean shift of the tokens scored with it, in nats, and their number. */
  shift: z.number().nullable(),
  tokens: z.number().nullable(),
  evidence: z.array(
    z.object({
      trajectory: z.string(),
      steps: z.array(z.object({ step: z.int(), action: z.string().nullable() })),
    }),
  ),
});
export type StepSkill = z.infer<typeof stepSkill>;

export const reward = z.object({
  name: z.string(),
  source: z.string(),
  value: z.number().nullable(),
  unscored: z.string().nullable(),
  step: z.int().nullable(),
  comment: z.string().nullable(),
});

export const message = z.object({
  role: z.string(),
  content: longText,
  reasoning: longText.nullable(),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: longText })),
  /** Whose result it is, where it is one and the name is known. */
  tool: z.string().nullable(),
  /** The result says that the call went wrong. */
  error: z.boolean(),
});
export type ChatMessage = z.infer<typeof message>;

export const step = z.object({
  index: z.int(),
  observation: longText,
  action: longText,
  valid: z.boolean(),
  reward: z.number().nullable(),
  stateKey: z.string(),
  /** How many episodes of the group stood in this state, this one included. */
  visits: z.int(),
  prompt: longText.nullable(),
  messages: z.array(message),
  reply: message.nullable(),
  tokens: tokens.nullable(),
  /** Ids of skills that were for this step. */
  skills: z.array(z.string()),
  rewards: z.array(reward),
  durationMs: z.number().nullable(),
  /** Null where it is unknown. */
  usage: z.object({
    promptTokens: z.number().nullable(),
    completionTokens: z.number().nullable(),
    costUsd: z.number().nullable(),
  }),
});
export type StepDetail = z.infer<typeof step>;

export const sibling = z.object({
  id: z.string(),
  outcome,
  reward: z.number().nullable(),
  steps: z.int(),
  /** Steps in which both did the same in the same states. */
  shared: z.int(),
  /** Where they parted: the state was the same and the actions were not. Null when one goes on where the other ends. */
  diverged: z.object({ step: z.int(), own: z.string(), theirs: z.string() }).nullable(),
  relation: z.enum(["sibling", "parent", "child"]),
});
export type Sibling = z.infer<typeof sibling>;

/** A step in one line, for every step of the trajectory. */
export const outline = z.object({
  index: z.int(),
  /** At most 120 letters. */
  action: z.string(),
  valid: z.boolean(),
  reward: z.number().nullable(),
  tokens: z.int(),
  visits: z.int(),
  /** Mean advantage of its tokens, where credit is stored. */
  advantage: z.number().nullable(),
  skills: z.int(),
  /** A tool's result that came before it was an error. */
  error: z.boolean(),
});
export type StepOutline = z.infer<typeof outline>;

export const trajectoryQuery = z.object({
  id: z.string().min(1),
  from: wholeNumber.default(0).describe("the first step, by its place in the trajectory"),
  count: wholeNumber.pipe(z.int().max(500)).default(100).describe("steps in full; the outline has all of them"),
});

export const trajectoryDetail = trajectoryItem.extend({
  goalText: longText,
  model: z.string().nullable(),
  rewards: z.array(reward),
  failure: z.object({ code: z.string(), message: z.string() }).nullable(),
  closing: longText.nullable(),
  usage: z.record(z.string(), z.number()),
  info: z.record(z.string(), z.unknown()),
  outline: z.array(outline),
  /** The asked part, from `from`. */
  from: z.int(),
  window: z.array(step),
  skills: z.array(stepSkill),
  /** Others of the group, those that shared most first; at most 64. */
  siblings: z.array(sibling),
  /** What counts as a strong colour: few tokens are beyond it. */
  scale: z.object({ advantage: z.number(), shift: z.number(), divergence: z.number(), entropy: z.number() }),
  /** People or judges who gave the verdict and the reward; null where it came with the episode. */
  givenBy: z.object({ outcome: z.string().nullable(), reward: z.string().nullable() }),
  hasCredit: z.boolean(),
  /** Every word of a step has the same advantage, as where a divergence to the teacher is learned beside it. */
  flatCredit: z.boolean(),
  /** The world that can be played on from here, when this machine has it. */
  playable: z.boolean(),
});
export type TrajectoryDetail = z.infer<typeof trajectoryDetail>;

export const stepsAnswer = z.object({ from: z.int(), total: z.int(), window: z.array(step) });

/** Entropies are computed by the run's model on request, since sampling does not store them. */
export const entropyAnswer = z.object({
  /** The update of the checkpoint that was asked, where it is known. */
  update: z.number().nullable(),
  steps: z.array(z.object({ index: z.int(), entropy: perToken })),
});
export type Entropies = z.infer<typeof entropyAnswer>;

export const textQuery = z.object({
  id: z.string().min(1),
  field: z.enum(["goal", "closing", "observation", "action", "prompt"]),
  step: wholeNumber.optional(),
});
/** A text that was cut, whole. */
export const textAnswer = z.object({ text: z.string() });

export const findQuery = z.object({ id: z.string().min(1), text: z.string().min(1).max(500) });
/** Steps in which the text stands. */
export const findAnswer = z.object({
  total: z.int(),
  /** At most 500. */
  hits: z.array(z.object({ step: z.int(), where: z.enum(["seen", "said"]), excerpt: z.string() })),
});
export type FoundSteps = z.infer<typeof findAnswer>;

/** A person's word on a trajectory; it is kept beside it as rewards, as `limbeck feedback` does it. */
export const judgeRequest = z.object({
  id: z.string().min(1),
  success: z.boolean().optional(),
  comment: z.string().max(20_000).optional(),
  /** Points of a rubric by name. */
  rewards: z.record(z.string().min(1).max(100), z.number()).optional(),
  /** The source. */
  who: z.string().trim().min(1).max(200),
});
export const judgeAnswer = z.object({ rewards: z.array(reward) });

export const stateQuery = z.object({ id: z.string().min(1), step: wholeNumber });
/** Everything that was done from one state in the group. */
export const stateAnswer = z.object({
  stateKey: z.string(),
  observation: longText,
  decisions: z.array(
    z.object({
      trajectory: z.string(),
      step: z.int(),
      action: z.string(),
      valid: z.boolean(),
      outcome,
      reward: z.number().nullable(),
      advantage: z.number().nullable(),
      /** What was seen next. */
      next: longText.nullable(),
    }),
  ),
});
export type StateDecisions = z.infer<typeof stateAnswer>;
